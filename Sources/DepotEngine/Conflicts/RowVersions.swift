internal import DepotProtocol
internal import DepotSQLite

/// The versions of rows that a client has read.
struct RowVersions {
  private static let rowsTogether = 64

  var rows: [(identifier: Int64, version: Int64)] = []

  init() {}

  init(_ identifiers: [Int64], _ versions: [Int64]) { rows = Array(zip(identifiers, versions)) }

  /// Whether rows of an entity have these versions; `false` also for rows that are named twice.
  func areCurrent(_ writer: EntityWriter, _ control: CallControl) throws -> Bool {
    let sorted = rows.sorted { $0.identifier < $1.identifier }
    let wholes = sorted.count / Self.rowsTogether * Self.rowsTogether
    return try areCurrent(sorted[..<wholes], together: Self.rowsTogether, writer, control)
      && areCurrent(sorted[wholes...], together: 1, writer, control)
  }

  private func areCurrent(
    _ rows: ArraySlice<(identifier: Int64, version: Int64)>,
    together count: Int,
    _ writer: EntityWriter,
    _ control: CallControl
  ) throws -> Bool {
    guard !rows.isEmpty else { return true }
    let marks = repeatElement("?", count: count).joined(separator: ", ")
    let layout = writer.layout
    let statement = try writer.connection.statement(
      "SELECT id, version FROM \(layout.table) WHERE id IN (\(marks))\(layout.kindFilter()) ORDER BY id"
    )
    defer { statement.reset() }
    for start in stride(from: rows.startIndex, to: rows.endIndex, by: count) {
      try control.check()
      statement.reset()
      for place in 0..<count { try statement.bind(rows[start + place].identifier, at: place + 1) }
      for row in rows[start..<start + count] {
        guard try statement.step(), statement.row.integer(0) == row.identifier,
          statement.row.integer(1) == row.version
        else { return false }
      }
    }
    return true
  }
}
