internal import DepotProtocol
internal import DepotSQLite

/// A check of all values that are stored outside the rows of one table, with those of the history.
struct BlobCheck {
  private let layout: EntityLayout
  private let connection: Connection
  private let columns: [StoredColumn]

  init(_ root: EntityLayout, _ catalog: Catalog, _ connection: Connection) {
    layout = root
    self.connection = connection
    columns = root.stored.filter(\.isExternal)
  }

  /// Returns messages about tables of values that belong to no entity.
  static func strays(_ catalog: Catalog, _ connection: Connection) throws -> [String] {
    let known = Set(catalog.specialTables.compactMap(\.name))
    return try connection.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'x_*' ORDER BY name"
    ).filter { !known.contains($0) }.map { "The table \($0) holds values of no entity." }
  }

  /// Returns messages about all problems.
  func run() throws -> [String] {
    guard !columns.isEmpty else { return [] }
    var problems: [String] = []
    let table = BlobTable(layout.root)
    let reader = BlobReader(connection: connection, table: table)
    for column in columns {
      let statement = try connection.statement(
        """
        SELECT id, \(column.quoted) FROM \(layout.table) WHERE \(column.hasReference)
        """
      )
      try statement.run { row in
        do {
          guard let reference = BlobReference(row.bytes(1)) else {
            throw BlobReader.Damage.reference
          }
          try reader.verify(reference)
        } catch let damage as BlobReader.Damage {
          problems.append("\(layout.name)/\(row.integer(0)): \(damage.message)")
        }
      }
    }
    let kept = KeptValues(connection: connection)
    for reference in try kept.all(of: table) {
      do {
        try reference.map(reader.verify)
      } catch let damage as BlobReader.Damage {
        problems.append("The history of \(layout.name): \(damage.message)")
      }
    }
    try connection.statement(
      """
      SELECT count(DISTINCT blob) FROM \(table.name) WHERE blob NOT IN \
      (\(BlobTable.references(in: layout))) AND blob NOT IN \
      (SELECT CAST(reference AS INTEGER) FROM depot_upload) AND NOT \(kept.condition(table))
      """
    ).run { row in
      guard row.integer(0) > 0 else { return }
      problems.append("\(row.integer(0)) values of \(layout.name) belong to no row.")
    }
    return problems
  }
}
