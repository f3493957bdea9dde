internal import CDepotSQLite

extension Connection {
  /// Adds a function that SQL on this connection may call.
  ///
  /// The connection's progress check runs before the function works on a large value, because
  /// SQLite doesn't run it within a call.
  ///
  /// The corresponding C function is `sqlite3_create_function_v2`.
  ///
  /// - Parameters:
  ///   - name: The name in SQL.
  ///   - argumentCount: How many arguments it takes.
  ///   - isDeterministic: Whether equal arguments give equal results.
  ///   - isForTriggers: Whether triggers may call it too, and so those of a manipulated file.
  ///   - body: Sets the result of one call.
  /// - Throws: ``SQLiteError`` if SQLite refuses the function.
  package func addFunction(
    _ name: String,
    argumentCount: Int,
    isDeterministic: Bool = true,
    isForTriggers: Bool = false,
    _ body: @escaping (borrowing FunctionCall) -> Void
  ) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      handle,
      name,
      Int32(argumentCount),
      SQLITE_UTF8 | (isForTriggers ? SQLITE_INNOCUOUS : SQLITE_DIRECTONLY)
        | (isDeterministic ? SQLITE_DETERMINISTIC : 0),
      Unmanaged.passRetained(FunctionBody(self, body)).toOpaque(),
      { context, count, arguments in
        guard let context, let arguments, let user = sqlite3_user_data(context) else { return }
        let body = Unmanaged<FunctionBody>.fromOpaque(user).takeUnretainedValue()
        let call = FunctionCall(context: context, arguments: arguments)
        for index in 0..<Int(count) where call[index].isLarge {
          if body.connection.mustNotWork { return call.interrupt() }
          break
        }
        body.run(call)
      },
      nil,
      nil,
      releaseContext
    )
    guard code == SQLITE_OK else { throw SQLiteError(database: handle) }
  }
}

/// Releases the object that SQLite keeps for a function or a table.
func releaseContext(_ object: UnsafeMutableRawPointer?) {
  if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
}

/// The object that SQLite keeps for a function.
private final class FunctionBody {
  /// The connection, which owns the function.
  unowned let connection: Connection
  let run: (borrowing FunctionCall) -> Void

  init(_ connection: Connection, _ run: @escaping (borrowing FunctionCall) -> Void) {
    self.connection = connection
    self.run = run
  }
}

extension Connection {
  /// Whether functions must not start work on large values now.
  fileprivate var mustNotWork: Bool { refusesLargeValues || mustStop }
}

/// One call of a function by SQL: its arguments and its result, which is NULL until it is set.
package struct FunctionCall: ~Copyable {
  /// SQLite's context of the result; `nil` for a table function.
  let context: OpaquePointer?
  /// The arguments; `nil` when an aggregate finishes.
  let arguments: UnsafeMutablePointer<OpaquePointer?>?

  init(context: OpaquePointer? = nil, arguments: UnsafeMutablePointer<OpaquePointer?>?) {
    self.context = context
    self.arguments = arguments
  }

  /// An argument, valid until the function returns.
  package subscript(index: Int) -> BorrowedValue { BorrowedValue(handle: arguments?[index]) }

  package func result(_ value: Int64) { sqlite3_result_int64(context, value) }

  package func result(_ value: Bool) { sqlite3_result_int(context, value ? 1 : 0) }

  package func result(_ value: Double) { sqlite3_result_double(context, value) }

  package func result(text bytes: UnsafeBufferPointer<UInt8>) {
    depot_result_text(context, bytes.baseAddress, bytes.count)
  }

  package func result(blob bytes: UnsafeBufferPointer<UInt8>) {
    depot_result_blob(context, bytes.baseAddress, bytes.count)
  }

  package func result(_ value: SQLiteValue) {
    switch value {
    case .null: sqlite3_result_null(context)
    case .integer(let value): result(value)
    case .real(let value): result(value)
    case .text(var text):
      text.withUTF8 { result(text: $0) }
    case .blob(let bytes):
      bytes.withUnsafeBufferPointer { result(blob: $0) }
    }
  }

  /// Makes the statement fail.
  ///
  /// - Parameters:
  ///   - message: The message of the error.
  ///   - code: SQLite's code for it, such as `SQLITE_TOOBIG`.
  package func fail(_ message: String, code: Int32) {
    sqlite3_result_error(context, message, -1)
    sqlite3_result_error_code(context, code)
  }

  /// Makes the statement end as interrupted.
  package func interrupt() { sqlite3_result_error_code(context, SQLITE_INTERRUPT) }
}
