/// Objects by their identifiers.
extension ModelContext {
  /// Returns the object that has an identifier.
  ///
  /// Its values are read when they are used. If there is no such row, they are placeholders;
  /// ``existingModel(for:as:)`` returns `nil` then.
  public final func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    using {
      mergeRemoteChanges()
      let model = fault(persistentModelID)?.model as? any PersistentModel
      return model ?? placeholder(persistentModelID)
    }
  }

  /// Returns the object that has an identifier if the context has it already.
  public final func registeredModel<T: PersistentModel>(
    for persistentModelID: PersistentIdentifier
  ) -> T? {
    using {
      mergeRemoteChanges()
      return registered(persistentModelID)?.model as? T
    }
  }

  /// Returns the object that has an identifier, with its values.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` if there is no such row, or the store can't be read.
  public final func existingModel<T: PersistentModel>(
    for persistentModelID: PersistentIdentifier,
    as type: T.Type = T.self
  ) throws -> T {
    try using { try existing(persistentModelID, as: type) }
  }

  private final func existing<T: PersistentModel>(
    _ persistentModelID: PersistentIdentifier,
    as type: T.Type
  ) throws -> T {
    mergeRemoteChanges()
    if let known = registered(persistentModelID), !known.isFault, known.phase != .deleted,
      let model = known.model as? T
    {
      return model
    }
    let description = stores.description(of: persistentModelID) ?? EntityDescription.of(type)
    let found = try stores.store(of: description)
      .rows([persistentModelID], of: description, slots: nil, into: self)
    if let model = found.first?.model as? T, found.first?.storage.phase != .deleted { return model }
    var error = SwiftDataError(
      .storeFailure,
      "There is no \(description.name) \(persistentModelID).",
      entity: description.name
    )
    error.code = "notfound.object"
    throw error
  }

  private func placeholder(_ identifier: PersistentIdentifier) -> any PersistentModel {
    let description = stores.description(of: identifier) ?? core.descriptions.values.first
    guard let model = description?.makePlaceholder(identifier) as? any PersistentModel else {
      preconditionFailure("The container has no models.")
    }
    return model
  }
}
