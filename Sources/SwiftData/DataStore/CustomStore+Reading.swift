internal import Foundation

/// Reading from a custom store.
extension CustomStore {
  func fetch(_ query: StoreQuery, into context: ModelContext) throws -> [ObjectReference] {
    func open<Model: PersistentModel>(_: Model.Type) throws -> [ObjectReference] {
      try fetch(query.typed(Model.self), into: context)
    }
    return try open(query.description.type)
  }

  func count(_ query: StoreQuery, in context: ModelContext) throws -> Int {
    func open<Model: PersistentModel>(_: Model.Type) throws -> Int? {
      try strictly(query.typed(Model.self), context) { try $0.fetchCount($1) }
    }
    return try open(query.description.type) ?? fetch(query, into: context).count
  }

  func identifiers(_ query: StoreQuery, in context: ModelContext) throws -> [PersistentIdentifier] {
    try storedIdentifiers(query, context)
      ?? fetch(query, into: context).map(\.storage.identifier)
  }

  func enumerate(
    _ query: StoreQuery,
    batchSize: Int,
    into context: ModelContext,
    _ body: ([ObjectReference]) throws -> Void
  ) throws {
    guard let identifiers = try storedIdentifiers(query, context) else {
      for batch in try fetch(query, into: context).chunks(of: batchSize) { try body(batch) }
      return
    }
    for batch in identifiers.chunks(of: batchSize) {
      try body(rows(batch, of: query.description, slots: nil, into: context))
    }
  }

  /// Asks the store for identifiers; `nil` if it leaves something to the context.
  private func storedIdentifiers(
    _ query: StoreQuery,
    _ context: ModelContext
  ) throws -> [PersistentIdentifier]? {
    func open<Model: PersistentModel>(_: Model.Type) throws -> [PersistentIdentifier]? {
      try strictly(query.typed(Model.self), context) { try $0.fetchIdentifiers($1) }
    }
    return try open(query.description.type)
  }

  func rows(
    _ identifiers: [PersistentIdentifier],
    of description: EntityDescription,
    slots: [Int]?,
    into context: ModelContext
  ) throws -> [ObjectReference] {
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for identifier in identifiers { found[identifier] = returned.removeValue(forKey: identifier) }
    var missing = identifiers.filter { found[$0] == nil }
    if !missing.isEmpty {
      let cached = try talk(context) { try $0.cachedSnapshots(for: missing, editingState: $1) }
      for (identifier, snapshot) in cached {
        found[identifier] = try DefaultSnapshot(any: snapshot)
      }
      missing = missing.filter { found[$0] == nil }
    }
    var related: [DefaultSnapshot] = []
    if !missing.isEmpty {
      let wanted = Set(missing)
      func open<Model: PersistentModel>(_: Model.Type) throws {
        let answer = try ask(FetchDescriptor<Model>(identifiers: wanted), context)
        for snapshot in answer.snapshots where wanted.contains(snapshot.persistentIdentifier) {
          found[snapshot.persistentIdentifier] = snapshot
        }
        related = answer.related
      }
      try open(description.type)
    }
    return take(identifiers.compactMap { found[$0] }, related, into: context)
  }

  func targets(
    of sources: [PersistentIdentifier],
    _ description: EntityDescription,
    slot: Int,
    into context: ModelContext
  ) throws -> [[ObjectReference]] {
    let unknown = sources.filter { lists[$0]?[slot] == nil }
    let alive = try unknown.isEmpty ? [] : rows(unknown, of: description, slots: nil, into: context)
    guard let type = description.properties[slot].destination else {
      return sources.map { _ in [] }
    }
    let target = EntityDescription.of(type)
    let wanted = sources.map { lists[$0]?[slot] }
    if wanted.contains(where: { $0 == nil }) {
      return try children(of: sources, description.properties[slot], target, into: context)
    }
    var known: [PersistentIdentifier: ObjectReference] = [:]
    var missing: [PersistentIdentifier] = []
    var seen: Set<PersistentIdentifier> = []
    for identifier in wanted.flatMap({ $0 ?? [] }) where seen.insert(identifier).inserted {
      if let link = context.registered(identifier)?.link {
        known[identifier] = link
      } else {
        missing.append(identifier)
      }
    }
    if !missing.isEmpty {
      for link in try rows(missing, of: target, slots: nil, into: context) {
        known[link.storage.identifier] = link
      }
    }
    for source in sources { lists[source]?[slot] = nil }
    return withExtendedLifetime(alive) { wanted.map { ($0 ?? []).compactMap { known[$0] } } }
  }

  /// Finds the targets of relationships by the inverse relationship of the targets.
  private func children(
    of sources: [PersistentIdentifier],
    _ property: PropertyDescription,
    _ target: EntityDescription,
    into context: ModelContext
  ) throws -> [[ObjectReference]] {
    guard let inverse = property.shape.inverse else { return sources.map { _ in [] } }
    return try sources.divide(fetch(StoreQuery(target), into: context)) { storage in
      lists[storage.identifier]?[inverse.slot] ?? storage.stored(inverse.slot).targetIdentifiers
    }
  }

  // MARK: - Typed

  /// Reads the objects that are stored into the context.
  func fetch<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>,
    into context: ModelContext
  ) throws -> [ObjectReference] {
    let answer = try ask(descriptor, context)
    if answer.isFiltered, answer.isSorted {
      let links = take(answer, Model.self, into: context)
      return descriptor.fetchLimit.map { Array(links.prefix($0)) } ?? links
    }
    func wanted(in context: ModelContext) throws -> [ObjectReference] {
      let links = take(answer, Model.self, into: context)
      return try descriptor.cut(
        descriptor.wanted(of: links, in: context, isFiltered: answer.isFiltered)
      )
    }
    guard context.hasChanges else { return try wanted(in: context) }
    // Only stored values count, so that the work is done on objects without changes.
    let order = try wanted(in: ModelContext(context.container)).map(\.storage.identifier)
    let links = take(answer, Model.self, into: context)
    let byIdentifier = Dictionary(first: links.map { ($0.storage.identifier, $0) })
    return order.compactMap { byIdentifier[$0] }
  }

  /// Registers the store's answer; returns the objects of a class.
  func take<Model: PersistentModel>(
    _ answer: CustomAnswer,
    _: Model.Type,
    into context: ModelContext
  ) -> [ObjectReference] {
    let description = EntityDescription.of(Model.self)
    // A store that keeps all its objects together may return others too.
    let snapshots = answer.snapshots.filter { snapshot in
      context.stores.description(of: snapshot.persistentIdentifier)?.isKind(of: description) == true
    }
    return take(snapshots, answer.related, into: context)
  }

  private func take(
    _ snapshots: [DefaultSnapshot],
    _ related: [DefaultSnapshot],
    into context: ModelContext
  ) -> [ObjectReference] {
    var known: Set<PersistentIdentifier> = []
    func take(_ snapshots: [DefaultSnapshot]) -> [ObjectReference] {
      var intake = SnapshotIntake(context)
      for snapshot in snapshots where known.insert(snapshot.persistentIdentifier).inserted {
        intake.take(snapshot)
      }
      let links = intake.finish()
      lists.merge(intake.lists) { old, new in old.merging(new) { $1 } }
      return links
    }
    let links = take(snapshots)
    context.recent.add(prefetched: take(related))
    return links
  }
}

extension StoreQuery {
  /// Returns the fetch descriptor that the query was made from, or one of all objects.
  func typed<Model: PersistentModel>(_: Model.Type) -> FetchDescriptor<Model> {
    if let descriptor = descriptor as? FetchDescriptor<Model> { return descriptor }
    var descriptor = FetchDescriptor<Model>()
    descriptor.fetchLimit = request.limit
    if request.offset > 0 { descriptor.fetchOffset = request.offset }
    return descriptor
  }
}

extension FetchDescriptor {
  /// Describes the objects that have identifiers.
  init(identifiers: Set<PersistentIdentifier>) {
    self.init(
      predicate: Foundation.Predicate<T> { model in
        PredicateExpressions.build_contains(
          PredicateExpressions.build_Arg(identifiers),
          PredicateExpressions.build_KeyPath(
            root: PredicateExpressions.build_Arg(model),
            keyPath: \.persistentModelID
          )
        )
      }
    )
  }
}
