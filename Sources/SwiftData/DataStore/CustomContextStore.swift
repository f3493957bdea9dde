internal import Foundation

/// What a context asks of a store of the program's own, beyond what it asks of all.
///
/// Such a store knows fetch descriptors rather than expressions, so that a context with changes that aren't
/// saved reads all objects of an entity and does the rest itself.
protocol CustomContextStore: ContextStore {
  /// Fetches objects, with the changes of the context if the descriptor says so.
  func fetch<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>,
    in context: ModelContext
  ) throws -> [Link]

  /// Counts objects.
  func count<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>,
    in context: ModelContext
  ) throws -> Int

  /// Finds the identifiers of objects, in their order.
  func identifiers<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>,
    in context: ModelContext
  ) throws -> [PersistentIdentifier]

  /// Calls `body` with batches of objects.
  func enumerate<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>,
    batchSize: Int,
    in context: ModelContext,
    _ body: ([Link]) throws -> Void
  ) throws

  /// Deletes objects at once, whatever else the context has changed.
  func delete<Model: PersistentModel>(
    _ predicate: Predicate<Model>?,
    includeSubclasses: Bool,
    in context: ModelContext
  ) throws

  /// Returns transactions of the history; `nil` if the store has none of the type.
  func history<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>,
    in context: ModelContext
  ) throws -> [T]?

  /// Deletes transactions of the history; returns whether the store has those of the type.
  func deleteHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>,
    in context: ModelContext
  ) throws -> Bool
}

extension CustomStore: CustomContextStore {
  func fetch<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>,
    in context: ModelContext
  ) throws -> [Link] {
    try descriptor.checkRange()
    guard descriptor.includePendingChanges, context.hasChanges else {
      return try fetch(descriptor, into: context)
    }
    context.applyDeleteRules()
    let answer = try ask(FetchDescriptor<Model>(), context)
    var links = take(answer, Model.self, into: context)
    let description = EntityDescription.of(Model.self)
    links = links.filter { $0.storage.phase == .stored }
    links += context.inserted.all.filter { $0.storage.description.isKind(of: description) }
    return try MemoryFetch(context, descriptor).run(links)
  }

  func count<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>,
    in context: ModelContext
  ) throws -> Int {
    try descriptor.checkRange()
    if !descriptor.includePendingChanges || !context.hasChanges {
      let count = try strictly {
        try talk(context) { store, state in
          try store.fetchCount(DataStoreFetchRequest(descriptor: descriptor, editingState: state))
        }
      }
      if let count { return count }
    }
    return try fetch(descriptor, in: context).count
  }

  func identifiers<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>,
    in context: ModelContext
  ) throws -> [PersistentIdentifier] {
    if let identifiers = try storedIdentifiers(descriptor, in: context) { return identifiers }
    return try fetch(descriptor, in: context).map(\.storage.identifier)
  }

  /// Asks the store for identifiers; `nil` if there is something to do in memory.
  private func storedIdentifiers<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>,
    in context: ModelContext
  ) throws -> [PersistentIdentifier]? {
    try descriptor.checkRange()
    if descriptor.includePendingChanges, context.hasChanges { return nil }
    return try strictly {
      try talk(context) { store, state in
        try store.fetchIdentifiers(
          DataStoreFetchRequest(descriptor: descriptor, editingState: state)
        )
      }
    }
  }

  func enumerate<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>,
    batchSize: Int,
    in context: ModelContext,
    _ body: ([Link]) throws -> Void
  ) throws {
    let description = EntityDescription.of(Model.self)
    if let identifiers = try storedIdentifiers(descriptor, in: context) {
      for start in stride(from: 0, to: identifiers.count, by: batchSize) {
        let batch = identifiers[start..<min(start + batchSize, identifiers.count)]
        try body(rows(Array(batch), of: description, slots: nil, into: context))
      }
      return
    }
    let links = try fetch(descriptor, in: context)
    for start in stride(from: 0, to: links.count, by: batchSize) {
      try body(Array(links[start..<min(start + batchSize, links.count)]))
    }
  }

  func delete<Model: PersistentModel>(
    _ predicate: Predicate<Model>?,
    includeSubclasses: Bool,
    in context: ModelContext
  ) throws {
    var descriptor = FetchDescriptor<Model>(predicate: predicate)
    descriptor.includePendingChanges = false
    let description = EntityDescription.of(Model.self)
    // Delete rules are the context's business: with relationships, it deletes object by object.
    let scratch = ModelContext(context.container)
    scratch.author = context.author
    let doomed = try scratch.customStore(of: Model.self)?.fetch(descriptor, in: scratch) ?? []
    let links = doomed.filter { includeSubclasses || $0.storage.description === description }
    guard !links.isEmpty else { return }
    let identifiers = links.map(\.storage.identifier)
    var gone = Set(identifiers)
    if try !deleteInStore(predicate, includeSubclasses, description, context) {
      for link in links { scratch.delete(link) }
      scratch.applyDeleteRules()
      gone.formUnion(scratch.deleted.all.map(\.storage.identifier))
      try scratch.save()
    }
    for identifier in gone {
      lists[identifier] = nil
      if let storage = context.registered(identifier) { context.vanish(storage) }
    }
  }

  /// Lets the store delete what a predicate describes; returns false if it leaves that to the context.
  private func deleteInStore<Model: PersistentModel>(
    _ predicate: Predicate<Model>?,
    _ includeSubclasses: Bool,
    _ description: EntityDescription,
    _ context: ModelContext
  ) throws -> Bool {
    guard description.relationships.isEmpty else { return false }
    return try talk(context) { store, state in
      guard let store = store as? any DataStoreBatching else { return false }
      let request = DataStoreBatchDeleteRequest(
        editingState: state,
        predicate: predicate,
        includeSubclasses: includeSubclasses
      )
      do {
        try store.delete(request)
        return true
      } catch DataStoreError.preferInMemoryFilter {
        return false
      } catch DataStoreError.unsupportedFeature {
        return false
      }
    }
  }
}

extension ModelContext {
  /// Returns the store of a class if it is the program's own.
  final func customStore<Model: PersistentModel>(
    of _: Model.Type
  ) throws -> (any CustomContextStore)? {
    let store = try store(of: EntityDescription.of(Model.self))
    return store.takesExpressions ? nil : store as? any CustomContextStore
  }
}
