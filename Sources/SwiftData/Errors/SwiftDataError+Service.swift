internal import DepotProtocol

extension SwiftDataError {
  /// Converts any error to this type.
  init(any error: any Error) {
    switch error {
    case let error as SwiftDataError: self = error
    case let error as DepotError: self.init(error)
    default: self.init(.storeFailure, "\(error)")
    }
  }

  /// Translates an error of the service into terms of objects.
  init(_ error: DepotError, _ kind: Kind? = nil) {
    self.init(kind ?? Kind(error.code), error.objectMessage, hint: error.objectHint)
    code = error.code.rawValue
    serviceError = error
    entity = error.details?["entity"]?.string
    property = error.details?["attribute"]?.string ?? error.details?["relationship"]?.string
    // Of several violations, the first one is reported.
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

extension DepotError {
  /// The message in terms of objects; the service's message names parts of predicates as sent.
  fileprivate var objectMessage: String {
    code == .predicate && message.hasPrefix("In ")
      ? "The store can't compute a part of the predicate or expression." : message
  }

  /// The hint for a program with objects, where the service's hint is about requests.
  fileprivate var objectHint: String? {
    switch code {
    case .predicate where message.hasPrefix("In "): "Fetch the objects, and compute it in memory."
    case .unique:
      """
      Set another value, or delete the other object. Of an inserted object and a stored one, a mergePolicy says \
      which one wins.
      """
    case .required: "Give it a value, make the property optional, or give it a default value."
    case .merge, .read: "Fetch the objects again and save once more, or set another mergePolicy."
    case .reference: "Insert the object that it leads to, or let it lead to another one."
    case .denied: "Delete the objects that it leads to as well, or let it lead to nothing first."
    case .count: "Add or remove objects, or change the counts that the relationship asks for."
    case .valueTooLarge: "Store a smaller value. Only a text or data in no index may be larger."
    default: hint
    }
  }
}
