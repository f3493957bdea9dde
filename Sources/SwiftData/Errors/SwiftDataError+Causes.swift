internal import DepotProtocol

extension SwiftDataError {
  /// Tells any error as one of this type.
  init(any error: any Error) {
    switch error {
    case let error as SwiftDataError: self = error
    case let error as DepotError: self.init(service: error)
    default: self.init(.storeFailure, "\(error)")
    }
  }

  /// Tells an error of the service, with the entity and property that it names.
  init(service error: DepotError) {
    self.init(error)
    conflicts = error.conflicts
    entity = entity ?? conflicts.first?.entity
    property = property ?? conflicts.first?.properties.first
  }

  /// Returns the error under another name.
  func named(_ kind: Kind) -> SwiftDataError {
    var result = SwiftDataError(kind, message, hint: hint)
    result.entity = entity
    result.property = property
    result.code = code
    result.serviceError = serviceError
    result.conflicts = conflicts
    return result
  }
}

extension SwiftDataError {
  /// An enumeration met changes that aren't saved.
  public static let escapingMutations = SwiftDataError(
    .escapingMutations,
    "The context has changes that aren't saved, and an enumeration lets none escape.",
    hint: "Save first, or enumerate with allowEscapingMutations: true."
  )
}
