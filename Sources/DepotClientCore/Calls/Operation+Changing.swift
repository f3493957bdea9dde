internal import DepotProtocol

extension Operation {
  /// Whether the operation changes a store's data or schema; a dry run doesn't.
  var isChange: Bool {
    switch self {
    case .defineSchema(_, let isDryRun, _): !isDryRun
    case .beginMigration, .commitMigration, .abortMigration: true
    default: isWrite
    }
  }

  /// Whether it matters if the service carried the operation out when its answer is lost.
  var leavesDoubt: Bool {
    switch self {
    case .closeContainer, .compact, .removeCopies: true
    default: isWrite || isChange
    }
  }
}
