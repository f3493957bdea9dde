internal import DepotProtocol

extension SwiftDataError {
  /// Tells any error as one of this type.
  init(any error: any Error) {
    switch error {
    case let error as SwiftDataError: self = error
    case let error as DepotError: self.init(error)
    default: self.init(.storeFailure, "\(error)")
    }
  }

  /// Says in terms of the object layer why the service refused something.
  init(_ error: DepotError, _ kind: Kind? = nil) {
    self.init(kind ?? Kind(error.code), error.message, hint: error.hint)
    code = error.code.rawValue
    serviceError = error
    entity = error.details?["entity"]?.string
    property = error.details?["attribute"]?.string ?? error.details?["relationship"]?.string
    // Of several violations, the first stands for all.
    if let first = error.details?["violations"]?.array?.first {
      entity = entity ?? first["entity"]?.string
      property = property ?? first["attribute"]?.string
    }
    conflicts = error.conflicts
    entity = entity ?? conflicts.first?.entity
    property = property ?? conflicts.first?.properties.first
  }
}

extension SwiftDataError.Kind {
  /// Finds the kind of an error of the service.
  fileprivate init(_ code: DepotError.Code) {
    self =
      switch code {
      case .predicate, .predicateTooLarge, .tooDeep: .unsupportedPredicate
      case .newerStore: .backwardMigration
      case .unknownVersion: .unknownSchema
      case .invalidSchema, .mismatch, .rowsInTheWay, .containerDiffers: .loadIssueModelContainer
      case .historyExpired, .historyForeign: .historyTokenExpired
      case .merge, .read, .unique: .saveConflict
      default:
        code.rawValue.hasPrefix("constraint.") ? .modelValidationFailure : .storeFailure
      }
  }
}
