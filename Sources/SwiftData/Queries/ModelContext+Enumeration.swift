/// Objects in batches.
extension ModelContext {
  /// Calls `block` with the objects that a descriptor describes, in their order.
  ///
  /// They are read in batches from one snapshot. Objects are released after each batch unless the
  /// program or an unsaved change keeps them, so that memory is bounded by a batch.
  ///
  /// - Parameters:
  ///   - fetch: The objects and their order.
  ///   - batchSize: How many objects are read at once.
  ///   - allowEscapingMutations: Whether the context may have changes that aren't saved, before and after
  ///     `block`. Changed objects stay in memory.
  ///   - block: The work on an object.
  /// - Throws: ``SwiftDataError/escapingMutations`` if the context has changes and may not;
  ///   ``SwiftDataError`` as ``fetch(_:)`` does; errors of `block`.
  public final func enumerate<T: PersistentModel>(
    _ fetch: FetchDescriptor<T>,
    batchSize: Int = 5000,
    allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws {
    try prepare()
    func checkMutations() throws {
      if !allowEscapingMutations, hasChanges { throw SwiftDataError.escapingMutations }
    }
    try checkMutations()
    func enumerate(_ links: [ObjectReference]) throws {
      for link in links {
        guard let model = link.model as? T else { continue }
        try block(model)
        try checkMutations()
      }
    }
    try using {
      try ContextFetch(self, fetch).enumerate(batchSize: max(1, batchSize)) { links in
        try accessGuard.aside { try enumerate(links) }
      }
    }
  }

  /// Returns the objects that a descriptor describes, which are read in batches when they are used.
  ///
  /// The members of the collection and their order are determined at once.
  ///
  /// - Throws: ``SwiftDataError/includePendingChangesWithBatchSize`` if the context has changes that aren't
  ///   saved and the descriptor doesn't leave them out; ``SwiftDataError`` as ``fetch(_:)`` does.
  public final func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int
  ) throws -> FetchResultsCollection<T> {
    let identifiers = try batchIdentifiers(descriptor)
    let slots = try ContextFetch(self, descriptor).query.slots
    let description = EntityDescription.of(T.self)
    return FetchResultsCollection(count: identifiers.count, batchSize: batchSize) { range in
      let wanted = Array(identifiers[range])
      let links = self.read(wanted, of: description, slots: slots)
      return withExtendedLifetime(links) {
        // A placeholder keeps the position of an object whose row was deleted meanwhile.
        wanted.map { self.objectOrPlaceholder($0, as: T.self) }
      }
    }
  }

  /// Returns the identifiers of the objects that a descriptor describes.
  ///
  /// - Throws: ``SwiftDataError/includePendingChangesWithBatchSize`` if the context has changes that aren't
  ///   saved and the descriptor doesn't leave them out; ``SwiftDataError`` as ``fetch(_:)`` does.
  public final func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> {
    FetchResultsCollection(try batchIdentifiers(descriptor))
  }

  private func batchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] {
    if descriptor.includePendingChanges, hasChanges {
      throw SwiftDataError.includePendingChangesWithBatchSize
        .about(EntityDescription.of(T.self).name)
    }
    return try fetchIdentifiers(descriptor)
  }

  private func objectOrPlaceholder<T: PersistentModel>(
    _ identifier: PersistentIdentifier,
    as _: T.Type
  ) -> T {
    if let model = registered(identifier)?.model as? T { return model }
    guard let model = EntityDescription.of(T.self).makePlaceholder(identifier) as? T else {
      preconditionFailure("\(T.self) made another object.")
    }
    return model
  }
}
