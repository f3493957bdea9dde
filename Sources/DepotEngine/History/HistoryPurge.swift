internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// Deletes expired history, for the writer.
///
/// A transaction becomes invalid at once as a whole, by a stored number. Its rows are deleted
/// gradually between writes, so that no write waits long.
@Memberwise("tables", "catalog")
struct HistoryPurge {
  /// The most rows of the history that are deleted at once.
  private static let rowLimit = 256
  /// The size in bytes after which no more of them are read.
  private static let byteLimit: Int64 = 4 << 20
  /// The most index entries that are deleted at once.
  private static let entryLimit = 4096
  /// The most bytes of surplus that are examined at once.
  private static let surplusLimit: Int64 = 8 << 20

  private let tables: CatalogTables
  private let catalog: Catalog

  private var connection: Connection { tables.connection }

  /// Makes everything up to a transaction invalid; returns the number of affected transactions.
  func forget(through token: Int64) throws -> Int {
    let bounds = try HistoryBounds(on: connection)
    guard token > bounds.purged else { return 0 }
    let edge = try bounds.edge(after: token, on: connection)
    var last = edge - 1
    if edge == .max {
      let newest = try connection.integer("SELECT max(id) FROM depot_history")
      last = max(bounds.floor, newest ?? 0)
    }
    guard last > bounds.floor else { return 0 }
    var count = 0
    var purged = bounds.purged
    try connection.statement(
      """
      SELECT count(*), max(id) FROM depot_history WHERE at IS NOT NULL AND id > ?1 AND id <= ?2
      """
    ).run([.integer(bounds.floor), .integer(last)]) { row in
      count = Int(row.integer(0))
      purged = max(purged, row.integer(1))
    }
    try tables.set(.historyFloor, last)
    try tables.set(.historyPurged, purged)
    return count
  }

  /// Executes one step of the purge.
  ///
  /// It returns whether there is more to do, and the number of deleted bytes.
  func step(
    _ retention: HistoryRetention,
    now: Double,
    bytes: Int64
  ) throws -> (hasMore: Bool, bytes: Int64) {
    let bounds = try HistoryBounds(on: connection)
    let deleted = try deleteRows(through: bounds.floor)
    if deleted.count > 0 { return (true, deleted.bytes) }
    if catalog.specialTables.contains(KeptValues.table),
      try KeptValues(connection: connection)
        .deleteSome(through: bounds.floor, limit: retention.bytes)
    {
      return (true, 0)
    }
    var facts = HistoryRetention.Facts(
      lastOld: try bounds.token(beforeTime: now - retention.age, on: connection),
      lastSurplus: bounds.purged,
      leastPosition: try HistoryConsumers(connection: connection).all().map(\.token).min(),
      lastPastWaiting: try bounds.token(beforeTime: now - retention.consumerAge, on: connection)
    )
    if bytes > retention.bytes {
      facts.lastSurplus = try surplus(bytes - retention.bytes, bounds)
    }
    let end = HistoryRetention.end(facts)
    guard end > bounds.purged else { return (false, 0) }
    return (try forget(through: end) > 0, 0)
  }

  /// Returns the last of the oldest transactions that together have `bytes`.
  private func surplus(_ bytes: Int64, _ bounds: HistoryBounds) throws -> Int64 {
    var rest = min(bytes, Self.surplusLimit)
    var last = bounds.purged
    let statement = try connection.statement(
      "SELECT token, changes FROM depot_history WHERE id > ?1 ORDER BY id"
    )
    defer { statement.reset() }
    try statement.bind(bounds.floor, at: 1)
    while rest > 0, try statement.step() {
      rest -= HistoryTable.size(ofChanges: statement.row.bytes(1).count)
      last = statement.row.integer(0)
    }
    return last
  }

  /// Deletes some invalid rows of the history.
  private func deleteRows(through floor: Int64) throws -> (count: Int, bytes: Int64) {
    var records: [HistoryRecord] = []
    var broken: [Int64] = []
    var entries = 0
    var bytes: Int64 = 0
    var last: Int64?
    let statement = try connection.statement(
      "SELECT \(HistoryTable.fullRow) FROM depot_history WHERE id <= ?1 ORDER BY id LIMIT ?2"
    )
    try statement.bind([.integer(floor), .integer(Int64(Self.rowLimit))])
    defer { statement.reset() }
    while entries < Self.entryLimit, bytes < Self.byteLimit, try statement.step() {
      last = statement.row.integer(0)
      bytes += HistoryTable.size(ofChanges: statement.row.bytes(12).count)
      do {
        let record = try HistoryRecord(statement.row)
        entries += record.kind == .insert ? 1 : record.count
        records.append(record)
      } catch {
        broken.append(statement.row.integer(0))
      }
    }
    statement.reset()
    guard let last else { return (0, 0) }
    let index = ChangeIndex(connection: connection)
    let roots = try index.roots()
    for record in records where record.kind != .insert {
      // The entity may have had another root when this was written.
      let root = record.entity.flatMap { try? catalog.layout(of: $0).root }
      let rows = try record.elements().map(\.row)
      try index.remove(record.identifier, about: rows, of: (root.map { [$0] } ?? []) + roots)
    }
    for record in broken { try index.remove(record) }
    try InsertionIndex(connection: connection).remove(through: last)
    let deletion = try connection.statement("DELETE FROM depot_history WHERE id <= ?1")
    try deletion.run([.integer(last)])
    return (connection.changeCount, bytes)
  }
}
