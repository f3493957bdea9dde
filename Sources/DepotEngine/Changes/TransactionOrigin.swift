internal import DepotProtocol

/// The facts that the history says about a transaction as a whole.
struct TransactionOrigin: Sendable {
  var author: String?
  var process: String?
  /// The number of the connection that it came from.
  var connection: Int64 = 0
  /// The group to which it belongs, so that it can be undone with others.
  var group: String?
  /// The kind of one that isn't ordinary: `schema`, or `undo:` or `redo:` and a token.
  var kind: String?

  /// The origin of a change of the schema.
  static let schemaKind = "schema"

  init() {}

  init(_ request: WriteRequest) {
    author = request.author
    process = request.process
    connection = request.connection
    group = request.group
    switch request.operation {
    case .defineSchema, .beginMigration, .commitMigration: kind = Self.schemaKind
    default: break
    }
  }

  var isSchemaChange: Bool { kind == Self.schemaKind }
}
