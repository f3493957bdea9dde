/// The facts about a transaction as a whole in the history.
struct TransactionOrigin: Sendable {
  var author: String?
  var process: String?
  /// The number of the request's connection.
  var connection: Int64 = 0
  /// The group, whose transactions can be undone together.
  var group: String?
  /// The kind of a special transaction: `schema`, or `undo:` or `redo:` and a token.
  var kind: String?

  /// The kind of a change of the schema.
  static let schemaKind = "schema"

  init() {}

  var isSchemaChange: Bool { kind == Self.schemaKind }

  /// Whether all facts are equal.
  @inline(__always)
  func isSame(as other: borrowing TransactionOrigin) -> Bool {
    connection == other.connection && group == other.group && kind == other.kind
      && author == other.author && process == other.process
  }
}
