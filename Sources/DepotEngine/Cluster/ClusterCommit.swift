internal import DepotPostgres

/// Reads a commit from the cluster in pieces, regardless of its size.
struct ClusterCommit {
  private let connection: PostgresConnection
  private let number: Int64
  /// The rows of its parts, like ``ClusterTables/commits`` but with sizes instead of contents.
  let parts: PostgresResult

  /// The size of a piece in bytes.
  private static let pieceBytes = 64 << 10

  init(_ number: Int64, _ connection: PostgresConnection) throws(PostgresError) {
    self.connection = connection
    self.number = number
    let sizes = """
      SELECT sequence, part, identity, page_count, octet_length(changes), octet_length(told) FROM depot.commit
      WHERE sequence = $1 ORDER BY part
      """
    parts = try connection.run(sizes, [.integer(number)])
  }

  /// Reads the changes of a part.
  func changes(ofPart part: Int) throws(PostgresError) -> [UInt8] {
    try bytes(of: "changes", part, count: parts.integer(4, row: part))
  }

  /// Reads the description of its transactions.
  func announcement() throws(PostgresError) -> [UInt8] {
    try bytes(of: "told", 0, count: parts.integer(5))
  }

  private func bytes(
    of column: String,
    _ part: Int,
    count: Int64
  ) throws(PostgresError) -> [UInt8] {
    let sql = """
      SELECT substring(\(column) FROM $3::int + 1 FOR \(Self.pieceBytes)) FROM depot.commit
      WHERE sequence = $1 AND part = $2
      """
    var bytes: [UInt8] = []
    while bytes.count < count {
      let start = Int64(bytes.count)
      let piece = try connection.run(
        sql,
        [.integer(number), .integer(Int64(part)), .integer(start)]
      )
      // The commit may have been deleted meanwhile.
      guard piece.rowCount == 1, !piece.bytes(0).isEmpty else { break }
      bytes += piece.bytes(0)
    }
    return bytes
  }
}
