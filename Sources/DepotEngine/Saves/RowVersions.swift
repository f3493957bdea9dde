internal import DepotProtocol
internal import DepotSQLite

/// The versions of rows that a client has read.
struct RowVersions {
  /// The number of rows that one run of a statement reads, if there are as many.
  private static let rowsTogether = 64

  var rows: [(identifier: Int64, version: Int64)] = []

  init() {}

  init(_ identifiers: [Int64], _ versions: [Int64]) { rows = Array(zip(identifiers, versions)) }

  /// Whether rows of an entity have these versions.
  ///
  /// For many rows, it is also `false` if one of them is named twice.
  func areCurrent(_ writer: EntityWriter, _ control: CallControl) throws -> Bool {
    let wholes = rows.count / Self.rowsTogether * Self.rowsTogether
    for row in rows[wholes...] {
      guard try writer.version(of: row.identifier) == row.version else { return false }
    }
    guard wholes > 0 else { return true }
    let sorted = rows[..<wholes].sorted { $0.identifier < $1.identifier }
    let marks = repeatElement("?", count: Self.rowsTogether).joined(separator: ", ")
    let layout = writer.layout
    let condition = "id IN (\(marks))\(layout.kindFilter())"
    let statement = try writer.connection.statement(
      "SELECT id, version FROM \(layout.table) WHERE \(condition) ORDER BY id"
    )
    defer { statement.reset() }
    for start in stride(from: 0, to: wholes, by: Self.rowsTogether) {
      try control.check()
      statement.reset()
      let part = sorted[start..<start + Self.rowsTogether]
      for (place, row) in part.enumerated() { try statement.bind(row.identifier, at: place + 1) }
      for row in part {
        guard try statement.step(), statement.row.integer(0) == row.identifier,
          statement.row.integer(1) == row.version
        else { return false }
      }
    }
    return true
  }
}
