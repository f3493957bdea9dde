/// Fetches.
extension ModelContext {
  /// Returns the objects that a descriptor describes, in their order.
  ///
  /// Unsaved changes count, unless the descriptor says otherwise: the result is the same as after
  /// a save.
  ///
  /// - Throws: ``SwiftDataError`` `unsupportedPredicate`, `unsupportedKeyPath`, `storeFailure`, and
  ///   others.
  public final func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    try prepare()
    return try found(descriptor)
  }

  /// Returns the objects that a descriptor describes; doesn't throw postponed errors.
  final func found<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    let links = try using { try ContextFetch(self, descriptor).answer { try $0.links() } }
    return Array(unsafeUninitializedCapacity: links.count) { models, count in
      for link in links {
        guard let model = link.model as? T else { continue }
        models.initializeElement(at: count, to: model)
        count += 1
      }
    }
  }

  /// Returns how many objects a descriptor describes.
  ///
  /// - Throws: ``SwiftDataError`` as ``fetch(_:)`` does.
  public final func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    try prepare()
    return try using { try ContextFetch(self, descriptor).answer { try $0.count() } }
  }

  /// Returns the identifiers of the objects that a descriptor describes, in their order.
  ///
  /// - Throws: ``SwiftDataError`` as ``fetch(_:)`` does.
  public final func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] {
    try prepare()
    return try using { try ContextFetch(self, descriptor).answer { try $0.identifiers() } }
  }
}
