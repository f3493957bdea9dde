internal import DepotProtocol
internal import DepotSQLite

/// The SQL of a read, with the values of its parameters.
struct ReadStatement {
  var sql: String
  var parameters: [SQLiteValue]
  /// Whether it can be slow even for one row.
  var isSlow = false

  /// - Throws: ``DepotError`` `limit.predicate` if the constants are too large.
  init(_ fragment: Fragment, isSlow: Bool = false) throws(DepotError) {
    try fragment.checkSize()
    sql = fragment.sql
    parameters = fragment.parameters
    self.isSlow = isSlow
  }

  /// Makes the statement that counts rows.
  init(count request: CountRequest, in catalog: Catalog) throws(DepotError) {
    let query = try RowQuery(request, in: catalog)
    self = try query.select(Fragment(sql: "count(*)"))
  }

  /// Makes the statement that checks for rows; the result is 1 or 0.
  init(exists request: CountRequest, in catalog: Catalog) throws(DepotError) {
    let query = try RowQuery(request, in: catalog)
    try self.init(
      "SELECT EXISTS (SELECT 1" + query.clauses() + ")",
      isSlow: query.compiler.isSlow
    )
  }

  /// Returns the statement with a different value for its last parameter.
  func binding(last value: SQLiteValue) -> ReadStatement {
    var result = self
    result.parameters[parameters.count - 1] = value
    return result
  }

  /// Returns the statement, which ends with ``Fragment/isListed``, for a list of rows.
  func listing(_ identifiers: [Int64]) -> ReadStatement {
    binding(last: .list(identifiers.map(SQLiteValue.integer)))
  }

  /// Runs a statement whose result is one integer.
  func integer(on connection: Connection) throws(SQLiteError) -> Int64 {
    try connection.integer(connection.prepared(self))
  }
}

extension Connection {
  /// Runs a prepared statement whose result is one integer.
  func integer(_ statement: Statement) throws(SQLiteError) -> Int64 {
    defer {
      countScannedRows(of: statement)
      statement.reset()
    }
    return try statement.step() && !statement.row.isNull(0) ? statement.row.integer(0) : 0
  }

  /// Adds the rows that a statement visited in full scans to ``scannedRows``.
  func countScannedRows(of statement: Statement) { scannedRows += statement.take(.scannedRows) }

  /// Returns the number of rows visited in full scans, and resets it.
  func takeScannedRows() -> Int {
    defer { scannedRows = 0 }
    return scannedRows
  }
}
