internal import DepotProtocol
internal import DepotSQLite

/// The table of a many-to-many relationship.
@Memberwise("name")
final class JoinTable {
  /// A side of the table.
  enum Side {
    case source
    case target

    var column: String { self == .source ? "source" : "target" }
    var orderColumn: String { self == .source ? "source_order" : "target_order" }
    var other: Side { self == .source ? .target : .source }
  }

  /// The quoted name.
  let name: String
  /// Whether the rows joined to a row on each side are ordered.
  let isOrdered: (source: Bool, target: Bool)
  private let connection: Connection

  func hasOrder(_ side: Side) -> Bool { side == .source ? isOrdered.source : isOrdered.target }

  /// Adds a row unless it exists; returns whether it was added.
  func insert(
    _ source: Int64,
    _ target: Int64,
    _ sourceOrder: Int64?,
    _ targetOrder: Int64?
  ) throws(SQLiteError) -> Bool {
    let statement = try insertion()
    try statement.bind(source, at: 1)
    try statement.bind(target, at: 2)
    if let sourceOrder { try statement.bind(sourceOrder, at: 3) }
    if let targetOrder { try statement.bind(targetOrder, at: isOrdered.source ? 4 : 3) }
    try statement.runBound()
    return connection.changeCount > 0
  }

  private var keptInsertion: Statement?

  private func insertion() throws(SQLiteError) -> Statement {
    if let keptInsertion { return keptInsertion }
    let columns =
      ["source", "target"] + (isOrdered.source ? ["source_order"] : [])
      + (isOrdered.target ? ["target_order"] : [])
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let statement = try connection.statement(
      """
      INSERT OR IGNORE INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(marks))
      """
    )
    keptInsertion = statement
    return statement
  }

  /// Deletes a row; returns whether it existed.
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

  /// Returns the rows joined to `identifier` on one side, in order if the side is ordered.
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
    return try statement.rows([.integer(identifier)]) { ($0.integer(0), $0.integer(1)) }
  }

  /// Returns the greatest order of the rows joined to `identifier` on one side.
  func lastOrder(of identifier: Int64, on side: Side) throws -> Int64? {
    try connection.integer(
      "SELECT max(\(side.orderColumn)) FROM \(name) WHERE \(side.column) = ?1",
      [.integer(identifier)]
    )
  }

  /// Sets the order of a row on one side.
  func setOrder(
    _ order: Int64,
    of source: Int64,
    _ target: Int64,
    on side: Side
  ) throws {
    try connection.statement(
      "UPDATE \(name) SET \(side.orderColumn) = ?1 WHERE source = ?2 AND target = ?3"
    ).run([.integer(order), .integer(source), .integer(target)])
  }
}
