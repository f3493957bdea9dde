internal import DepotProtocol

extension Operation {
  /// Whether the operation changes what a store holds, or how; a dry run doesn't.
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
