internal import DepotProtocol
internal import DepotSQLite

/// The SQL of a read, with the values of its parameters.
struct ReadStatement {
  var sql: String
  var parameters: [SQLiteValue]
  /// Whether it can take long even for one row.
  var isSlow = false

  /// - Throws: ``DepotError`` `limit.predicate` if the constants have too many bytes.
  init(_ fragment: Fragment, isSlow: Bool = false) throws(DepotError) {
    try fragment.checkSize()
    sql = fragment.sql
    parameters = fragment.parameters
    self.isSlow = isSlow
  }

  /// Counts rows.
  init(count request: CountRequest, in catalog: Catalog) throws(DepotError) {
    let query = try RowQuery(request, in: catalog)
    self = try query.select(Fragment(sql: "count(*)"))
  }

  /// Asks whether there are rows; the answer is 1 or 0.
  init(exists request: CountRequest, in catalog: Catalog) throws(DepotError) {
    let query = try RowQuery(request, in: catalog)
    try self.init(
      "SELECT EXISTS (SELECT 1" + query.clauses() + ")",
      isSlow: query.compiler.isSlow
    )
  }

  /// Returns the statement with another value for its last parameter.
  func binding(last value: SQLiteValue) -> ReadStatement {
    var result = self
    result.parameters[parameters.count - 1] = value
    return result
  }

  /// Returns the statement, which ends with ``Fragment/isListed``, for some rows.
  func listing(_ identifiers: [Int64]) -> ReadStatement {
    binding(last: .list(identifiers.map(SQLiteValue.integer)))
  }

  /// Runs a statement that has one row with one whole number.
  func integer(on connection: Connection) throws(SQLiteError) -> Int64 {
    let statement = try connection.prepared(self)
    defer {
      connection.countScannedRows(of: statement)
      statement.reset()
    }
    return try statement.step() && !statement.row.isNull(0) ? statement.row.integer(0) : 0
  }
}

extension Connection {
  /// Adds the rows that a statement looked at one after the other to ``scannedRows``.
  func countScannedRows(of statement: Statement) { scannedRows += statement.take(.scannedRows) }

  /// Returns how many rows reads looked at since this was asked last.
  func takeScannedRows() -> Int {
    defer { scannedRows = 0 }
    return scannedRows
  }
}

extension ReplyWriter {
  /// Appends the terminal frame of a count.
  func count(_ count: Int64, to writer: inout JSONWriter) {
    object(to: &writer) { $0.member("count", count) }
  }

  /// Appends the terminal frame of a question about existence.
  func exists(_ exists: Bool, to writer: inout JSONWriter) {
    object(to: &writer) { $0.member("exists", exists) }
  }
}
