/// The rules that a save checks before anything is sent.
extension ContextSave {
  /// - Throws: ``SwiftDataError/modelValidationFailure`` that names the entity and the property.
  func validate() throws {
    if let error = DeleteRules(context).denial() { throw error }
    for link in context.pending.inserted.current { try validate(link.storage, isNew: true) }
    for link in context.pending.changed.current {
      try checkUnread(link.storage)
      try validate(link.storage, isNew: false)
    }
  }

  /// - Throws: ``SwiftDataError/storeFailure`` if the program has changed a property that couldn't
  ///   be read.
  private func checkUnread(_ storage: ModelStorage) throws {
    if storage.unread.isEmpty { return }
    // A change of a list keeps the rest of it.
    let properties = storage.unread.map { storage.description.properties[$0] }
    guard
      let property = properties.first(where: { !$0.isToMany && storage.changed.contains($0.slot) })
    else { return }
    throw SwiftDataError(
      .storeFailure,
      "The \(property.name) of the \(storage.description.name) \(storage.identifier) was changed "
        + "after it couldn't be read.",
      hint: "Refresh the object without its changes, and change it again.",
      entity: storage.description.name,
      property: property.name
    )
  }

  private func validate(_ storage: ModelStorage, isNew: Bool) throws {
    for property in storage.description.relationships
    where isNew || storage.changed.contains(property.slot) {
      switch (property.kind, storage.slots[property.slot]) {
      case (.toOne(_, isOptional: false), .nothing):
        throw failure(storage, property, "\(property.name) leads to nothing")
      case (.toMany, .many(let list)):
        let count = list?.count ?? 0
        let least = property.relationship?.minimumModelCount ?? 0
        let most = property.relationship?.maximumModelCount ?? 0
        if count < least {
          throw failure(
            storage,
            property,
            "\(property.name) has \(count) objects, fewer than \(least)"
          )
        }
        if most > 0, count > most {
          throw failure(
            storage,
            property,
            "\(property.name) has \(count) objects, more than \(most)"
          )
        }
      default: break
      }
    }
  }

  private func failure(
    _ storage: ModelStorage,
    _ property: PropertyDescription,
    _ problem: String
  ) -> SwiftDataError {
    SwiftDataError(
      .modelValidationFailure,
      "The \(storage.description.name) \(storage.identifier) can't be saved: \(problem).",
      entity: storage.description.name,
      property: property.name
    )
  }
}
