internal import DepotProtocol
internal import DepotSQLite

/// Finds the rows of a query that changed rows of its dependencies may affect.
struct PathWalk {
  let dependencies: QueryDependencies
  let connection: Connection

  /// The most rows to follow individually; beyond that, running the whole query is faster.
  static let limit = 10_000

  /// Returns the rows of the query that may have changed and how, or `nil` if there are too many.
  ///
  /// Current paths are followed backwards. If a path was different before, the row where it changed
  /// is itself a changed row.
  func changedRows(_ dirtyRows: DirtyRows) throws -> [Int64: RowChangeSummary]? {
    var rows = dirtyRows.rows
    for node in dependencies.nodes.indices.dropFirst().reversed() where !rows[node].isEmpty {
      guard let origin = dependencies.nodes[node].origin else { continue }
      let list = SQLiteValue.list(rows[node].keys.map(SQLiteValue.integer))
      let query = try ReadStatement(Fragment(sql: Self.sql(origin), parameters: [list]))
      let statement = try connection.prepared(query)
      defer { statement.reset() }
      while try statement.step() {
        guard let summary = rows[node][statement.row.integer(1)] else { continue }
        rows[origin.parent][statement.row.integer(0), default: RowChangeSummary()].formUnion(
          summary
        )
        if rows[origin.parent].count > Self.limit { return nil }
      }
    }
    guard rows[0].count <= Self.limit else { return nil }
    guard let identifiers = dependencies.identifiers else { return rows[0] }
    let wanted = Set(identifiers)
    return rows[0].filter { wanted.contains($0.key) }
  }

  /// Selects pairs of a row and a given row that the link leads to.
  private static func sql(_ origin: QueryDependencies.NodeOrigin) -> String {
    let given = "(SELECT value FROM depot_each(?, 0))"
    switch origin.storage {
    case .column(let column):
      return "SELECT id, \(column) FROM \(origin.parentTable) WHERE \(column) IN \(given)"
    case .foreignColumn(let table, let column, _):
      return "SELECT \(column), id FROM \(table) WHERE id IN \(given) AND \(column) IS NOT NULL"
    case .join(let table, let near, let far, _):
      return "SELECT \(near), \(far) FROM \(table) WHERE \(far) IN \(given)"
    }
  }
}
