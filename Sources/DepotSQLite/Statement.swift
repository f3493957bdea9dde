public import CDepotSQLite

/// A compiled SQL statement, finalized when the last reference is released.
///
/// A statement isn't `Sendable`: use it only where its ``Connection`` is used.
public final class Statement {
  @usableFromInline package let handle: OpaquePointer

  init(preparing sql: String, on database: OpaquePointer) throws(SQLiteError) {
    var handle: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    guard sqlite3_prepare_v3(database, sql, -1, flags, &handle, nil) == SQLITE_OK, let handle else {
      throw SQLiteError(database: database, sql: sql)
    }
    self.handle = handle
  }

  deinit { sqlite3_finalize(handle) }

  /// The SQL text that it was compiled from.
  package var sql: String { String(cString: sqlite3_sql(handle)) }

  /// Whether a run has started and not ended.
  ///
  /// The corresponding C function is `sqlite3_stmt_busy`.
  package var isRunning: Bool { sqlite3_stmt_busy(handle) != 0 }

  /// Moves to the next row.
  ///
  /// The corresponding C function is `sqlite3_step`.
  ///
  /// - Returns: Whether there is one.
  /// - Throws: ``SQLiteError`` if the step fails.
  @inlinable
  public func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw lastError
    }
  }

  /// The current row, after the last step.
  @inlinable
  public var row: Row { Row(handle: handle) }

  /// Ends the run and clears the bound values, so that the statement can run again.
  @inlinable
  public func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  /// Ends the run but keeps the bound values, for the caller to replace.
  @inlinable
  public func restart() {
    sqlite3_reset(handle)
  }

  /// Binds the values for `?1`, `?2`, and so on.
  ///
  /// - Throws: ``SQLiteError`` if SQLite refuses a value, because of its size.
  package func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
    precondition(values.count == sqlite3_bind_parameter_count(handle), "One value per parameter.")
    for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
  }

  /// Binds one value.
  ///
  /// The corresponding C functions are `sqlite3_bind_*`.
  package func bind(_ value: SQLiteValue, at index: Int) throws(SQLiteError) {
    let index = Int32(index)
    let code =
      switch value {
      case .null: sqlite3_bind_null(handle, index)
      case .integer(let value): sqlite3_bind_int64(handle, index, value)
      case .real(let value): sqlite3_bind_double(handle, index, value)
      case .text(var value):
        value.withUTF8 { depot_bind_text(handle, index, $0.baseAddress, $0.count) }
      case .blob(let value):
        value.withUnsafeBytes { depot_bind_blob(handle, index, $0.baseAddress, $0.count) }
      }
    guard code == SQLITE_OK else { throw lastError }
  }

  /// Binds text without copying it; the bytes must live until the statement is reset.
  package func bind(
    borrowingText bytes: UnsafeBufferPointer<UInt8>,
    at index: Int
  ) throws(SQLiteError) {
    guard
      depot_bind_static_text(handle, Int32(index), bytes.baseAddress, bytes.count) == SQLITE_OK
    else { throw lastError }
  }

  /// Binds a blob without copying it; the bytes must live until the statement is reset.
  @inline(__always)
  package func bind(
    borrowingBlob bytes: UnsafeBufferPointer<UInt8>,
    at index: Int
  ) throws(SQLiteError) {
    guard
      depot_bind_static_blob(handle, Int32(index), bytes.baseAddress, bytes.count) == SQLITE_OK
    else { throw lastError }
  }

  @inlinable
  public func bind(_ value: Int64, at index: Int) throws(SQLiteError) {
    guard sqlite3_bind_int64(handle, Int32(index), value) == SQLITE_OK else { throw lastError }
  }

  @inlinable
  public func bind(_ value: Double, at index: Int) throws(SQLiteError) {
    guard sqlite3_bind_double(handle, Int32(index), value) == SQLITE_OK else { throw lastError }
  }

  @inlinable
  public func bindNull(at index: Int) throws(SQLiteError) {
    guard sqlite3_bind_null(handle, Int32(index)) == SQLITE_OK else { throw lastError }
  }

  /// Runs a statement with bound values to its end, and resets it for another run.
  ///
  /// The values stay bound.
  @inlinable
  public func runBound() throws(SQLiteError) {
    let code = sqlite3_step(handle)
    guard code == SQLITE_DONE || code == SQLITE_ROW else {
      let error = lastError
      sqlite3_reset(handle)
      throw error
    }
    sqlite3_reset(handle)
  }

  /// Runs the statement once, calling `body` with each row, and always resets it afterwards.
  ///
  /// - Throws: ``SQLiteError`` if a value or a step is refused, or an error of `body`.
  package func run(
    _ values: [SQLiteValue] = [],
    _ body: (borrowing Row) throws -> Void = { _ in }
  ) throws {
    precondition(!isRunning, "A statement can't run inside its own run.")
    defer { reset() }
    try bind(values)
    while try step() { try body(row) }
  }

  /// Runs the statement once, and returns the results of `make` for its rows.
  package func rows<Element>(
    _ values: [SQLiteValue] = [],
    _ make: (borrowing Row) throws -> Element
  ) throws -> [Element] {
    var result: [Element] = []
    try run(values) { result.append(try make($0)) }
    return result
  }

  /// Runs the statement once, and returns the result of `make` for the first row, or `nil`.
  package func first<Element>(
    _ values: [SQLiteValue] = [],
    _ make: (borrowing Row) throws -> Element
  ) throws -> Element? {
    try rows(values, make).first
  }

  @usableFromInline package var lastError: SQLiteError {
    SQLiteError(database: sqlite3_db_handle(handle), sql: sql)
  }
}
