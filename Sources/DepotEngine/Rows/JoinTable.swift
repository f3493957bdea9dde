internal import DepotSQLite

/// The table of a relationship between any number of rows on both sides.
///
/// A row's checksum covers both identifiers and the orders.
final class JoinTable {
  /// The side that a relationship is looked at from.
  enum Side {
    case source
    case target

    var column: String { self == .source ? "source" : "target" }
    var orderColumn: String { self == .source ? "source_order" : "target_order" }
    var other: Side { self == .source ? .target : .source }
  }

  /// The quoted name.
  let name: String
  /// Whether the rows that belong to one of a side have an order.
  let isOrdered: (source: Bool, target: Bool)
  private let connection: Connection

  init(_ name: String, isOrdered: (source: Bool, target: Bool), on connection: Connection) {
    self.name = name
    self.isOrdered = isOrdered
    self.connection = connection
  }

  func hasOrder(_ side: Side) -> Bool { side == .source ? isOrdered.source : isOrdered.target }

  /// The columns of a full row.
  var fullRow: String {
    "source, target, checksum" + (isOrdered.source ? ", source_order" : "")
      + (isOrdered.target ? ", target_order" : "")
  }

  /// Returns the checksum of a row.
  static func checksum(
    _ source: Int64,
    _ target: Int64,
    _ sourceOrder: Int64?,
    _ targetOrder: Int64?
  ) -> Int64 {
    var checksum = RowChecksum(identifier: source, version: target)
    if let sourceOrder { checksum.add(sourceOrder, at: 0) }
    if let targetOrder { checksum.add(targetOrder, at: 1) }
    return checksum.value
  }

  /// Whether a full row is what was stored.
  func isSound(_ row: borrowing Row) -> Bool {
    let sourceOrder = isOrdered.source ? row.integer(3) : nil
    let targetOrder = isOrdered.target ? row.integer(isOrdered.source ? 4 : 3) : nil
    let checksum = Self.checksum(row.integer(0), row.integer(1), sourceOrder, targetOrder)
    return checksum == row.integer(2)
  }

  /// Adds a row unless it is there; returns whether it wasn't.
  func insert(
    _ source: Int64,
    _ target: Int64,
    _ sourceOrder: Int64?,
    _ targetOrder: Int64?
  ) throws(SQLiteError) -> Bool {
    let statement = try insertion()
    try statement.bind(source, at: 1)
    try statement.bind(target, at: 2)
    try statement.bind(Self.checksum(source, target, sourceOrder, targetOrder), at: 3)
    if let sourceOrder { try statement.bind(sourceOrder, at: 4) }
    if let targetOrder { try statement.bind(targetOrder, at: isOrdered.source ? 5 : 4) }
    try statement.runBound()
    return connection.changeCount > 0
  }

  private var keptInsertion: Statement?

  private func insertion() throws(SQLiteError) -> Statement {
    if let keptInsertion { return keptInsertion }
    let marks = Array(
      repeating: "?",
      count: 3 + (isOrdered.source ? 1 : 0)
        + (isOrdered.target ? 1 : 0)
    )
    let statement = try connection.statement(
      "INSERT OR IGNORE INTO \(name) (\(fullRow)) VALUES (\(marks.joined(separator: ", ")))"
    )
    keptInsertion = statement
    return statement
  }

  /// Deletes a row; returns whether it was there.
  func delete(_ source: Int64, _ target: Int64) throws(SQLiteError) -> Bool {
    let statement = try connection.statement(
      "DELETE FROM \(name) WHERE source = ?1 AND target = ?2"
    )
    try statement.bind(source, at: 1)
    try statement.bind(target, at: 2)
    try statement.runBound()
    return connection.changeCount > 0
  }

  /// Deletes all rows with `identifier` on one side.
  func deleteAll(_ identifier: Int64, on side: Side) throws(SQLiteError) {
    let statement = try connection.statement("DELETE FROM \(name) WHERE \(side.column) = ?1")
    try statement.bind(identifier, at: 1)
    try statement.runBound()
  }

  /// Returns what belongs to `identifier` on one side, in its order if it has one.
  func members(
    of identifier: Int64,
    on side: Side
  ) throws -> [(identifier: Int64, order: Int64)] {
    let order = hasOrder(side) ? side.orderColumn : "0"
    let statement = try connection.statement(
      """
      SELECT \(side.other.column), \(order) FROM \(name) WHERE \(side.column) = ?1 \
      ORDER BY \(order == "0" ? "" : "\(order), ")\(side.other.column)
      """
    )
    var result: [(identifier: Int64, order: Int64)] = []
    try statement.run([.integer(identifier)]) { result.append(($0.integer(0), $0.integer(1))) }
    return result
  }

  /// Returns the greatest order of what belongs to `identifier` on one side.
  func lastOrder(of identifier: Int64, on side: Side) throws -> Int64? {
    var result: Int64?
    try connection.statement(
      "SELECT max(\(side.orderColumn)) FROM \(name) WHERE \(side.column) = ?1"
    ).run([.integer(identifier)]) { result = $0.isNull(0) ? nil : $0.integer(0) }
    return result
  }

  /// Gives a row its order on one side.
  func setOrder(
    _ order: Int64,
    of source: Int64,
    _ target: Int64,
    on side: Side
  ) throws {
    var orders: (source: Int64?, target: Int64?) = (nil, nil)
    try connection.statement(
      "SELECT \(fullRow) FROM \(name) WHERE source = ?1 AND target = ?2"
    ).run([.integer(source), .integer(target)]) { row in
      if isOrdered.source { orders.source = row.integer(3) }
      if isOrdered.target { orders.target = row.integer(isOrdered.source ? 4 : 3) }
    }
    if side == .source { orders.source = order } else { orders.target = order }
    try connection.statement(
      """
      UPDATE \(name) SET \(side.orderColumn) = ?1, checksum = ?2 \
      WHERE source = ?3 AND target = ?4
      """
    ).run([
      .integer(order), .integer(Self.checksum(source, target, orders.source, orders.target)),
      .integer(source), .integer(target),
    ])
  }
}

@available(*, unavailable)
extension JoinTable: Sendable {}
