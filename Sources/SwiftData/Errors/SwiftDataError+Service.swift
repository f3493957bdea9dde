internal import DepotProtocol

extension SwiftDataError {
  /// Says in terms of the object layer why the service refused something.
  init(_ error: DepotError) {
    self.init(error, Kind(error.code))
  }

  /// Wraps an error of the service as one of another name.
  init(_ error: DepotError, _ kind: Kind) {
    self.init(kind, error.message, hint: error.hint)
    code = error.code.rawValue
    serviceError = error
    entity = error.details?["entity"]?.string
    property = error.details?["attribute"]?.string ?? error.details?["relationship"]?.string
    // Of several violations, the first stands for all.
    if let first = error.details?["violations"]?.array?.first {
      entity = entity ?? first["entity"]?.string
      property = property ?? first["attribute"]?.string
    }
  }
}

extension SwiftDataError.Kind {
  /// What an error of the service is in terms of the object layer.
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
