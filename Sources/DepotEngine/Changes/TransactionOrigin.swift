internal import DepotProtocol

/// What the history says about a transaction as a whole.
struct TransactionOrigin {
  var author: String?
  var process: String?
  /// The number of the connection that it came from.
  var connection: Int64 = 0
  /// What it belongs to, so that it can be undone with others.
  var group: String?
  /// What it is if it isn't an ordinary one: `schema`, or `undo:` or `redo:` and a token.
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
