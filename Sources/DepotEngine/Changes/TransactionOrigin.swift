/// The facts about a transaction as a whole in the history.
///
/// It is a class because many keep it, and copies of a structure would keep each text.
final class TransactionOrigin: Sendable {
  let author: String?
  let process: String?
  /// The number of the request's connection.
  let connection: Int64
  /// The group, whose transactions can be undone together.
  let group: String?
  /// The kind of a special transaction: `schema`, or `undo:` or `redo:` and a token.
  let kind: String?

  /// The kind of a change of the schema.
  static let schemaKind = "schema"

  init(
    author: String? = nil,
    process: String? = nil,
    connection: Int64 = 0,
    group: String? = nil,
    kind: String? = nil
  ) {
    (self.author, self.process, self.connection) = (author, process, connection)
    (self.group, self.kind) = (group, kind)
  }

  /// The origin of transactions without a request.
  static let none = TransactionOrigin()

  /// Returns the origin with another group and kind.
  func with(group: String?, kind: String?) -> TransactionOrigin {
    TransactionOrigin(
      author: author,
      process: process,
      connection: connection,
      group: group,
      kind: kind
    )
  }

  var isSchemaChange: Bool { kind == Self.schemaKind }

  /// Whether all facts are equal.
  @inline(__always)
  func isSame(as other: TransactionOrigin) -> Bool {
    connection == other.connection && group == other.group && kind == other.kind
      && author == other.author && process == other.process
  }
}
