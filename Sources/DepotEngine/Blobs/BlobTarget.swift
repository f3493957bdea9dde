internal import DepotProtocol
internal import DepotSQLite

/// An attribute of a row, with external storage of its values.
struct BlobTarget {
  let layout: EntityLayout
  /// The row; `nil` if a later request of the connection inserts or names it.
  let identifier: Int64?
  let path: String
  /// The index of the column among the stored ones.
  let place: Int
  let isText: Bool

  var table: BlobTable { BlobTable(layout.root) }
  /// The row and attribute, for messages.
  var name: String {
    identifier.map { "\(layout.name)/\($0).\(path)" } ?? "\(layout.name).\(path)"
  }
  /// The target of an upload, as it is stored with it.
  var uploaded: String { "\(layout.root)/\(identifier.map(String.init) ?? "")/\(path)" }

  init(
    _ layout: EntityLayout,
    _ identifier: Int64?,
    _ path: String
  ) throws(DepotError) {
    guard let position = layout.position(of: path) else {
      throw layout.unknownAttribute(path).at("/args/attribute")
    }
    guard let place = layout.storedPositions[position],
      case .external(let type) = layout.stored[place].storage
    else {
      if identifier == nil {
        throw DepotError(
          .valueTooLarge,
          "\(layout.name).\(path) isn't in external storage, so it holds at most "
            + "\(Limits.valueBytes) bytes."
        ).hint("Give it \"externalStorage\" in the schema.").at("/args/attribute")
      }
      throw DepotError(.usage, "\(layout.name).\(path) isn't in external storage.")
        .hint("Read and write it with its row, or give it \"externalStorage\" in the schema.")
        .at("/args/attribute")
    }
    self.layout = layout
    self.identifier = identifier
    self.path = path
    self.place = place
    isText = type == .string
  }

  /// Returns the version of a row and its reference to the value.
  func read(
    _ identifier: Int64,
    on connection: Connection
  ) throws -> (version: Int64, reference: BlobReference?) {
    let statement = try connection.statement(
      """
      SELECT version, \(layout.stored[place].quoted) FROM \(layout.table) AS t \
      WHERE t.id = ?1\(layout.kindFilter(in: "t"))
      """
    )
    defer { statement.reset() }
    try statement.bind(identifier, at: 1)
    guard try statement.step() else { throw layout.missing([identifier], at: "/args/id") }
    let row = statement.row
    guard row.kind(1) != .null else { return (row.integer(0), nil) }
    guard let reference = BlobReference(row.bytes(1)) else {
      throw DepotError(.corrupt, "\(name) is damaged. Its reference can't be read.")
        .hint("Restore the store from a backup, or write the value anew.")
    }
    return (row.integer(0), reference)
  }
}

extension DepotError {
  /// Translates an error about a value stored outside its row for users.
  static func blob(_ error: any Error, _ target: BlobTarget) -> any Error {
    guard let damage = error as? BlobReader.Damage else { return error }
    return DepotError(.corrupt, "\(target.name) is damaged. \(damage.message)")
      .hint("Restore the store from a backup, or write the value anew.")
  }
}
