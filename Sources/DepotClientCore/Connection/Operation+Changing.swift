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
}
