internal import CDepotSQLite

/// A maker of the rows that a statement reads from a ``RowTable``.
package protocol RowSource: AnyObject {
  /// Moves to the next row, and sets its values in the table; returns whether there is one.
  ///
  /// Other statements may run meanwhile.
  func next() throws -> Bool
}

/// A virtual table whose rows are made while a statement reads them.
///
/// A statement that inserts them all takes fewer steps than one that runs for each row.
package final class RowTable {
  fileprivate enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case text(UnsafeBufferPointer<UInt8>)
    case blob(UnsafeBufferPointer<UInt8>)
  }

  /// The name in SQL; the columns are `c0`, `c1`, and so on.
  package let name: String
  fileprivate let values: UnsafeMutableBufferPointer<Value>
  private var source: (any RowSource)?
  private var failure: (any Error)?
  fileprivate private(set) var isAtEnd = true

  fileprivate init(columns: Int) {
    name = "depot_rows_\(columns)"
    values = .allocate(capacity: columns)
    values.initialize(repeating: .null)
  }

  deinit { values.deallocate() }

  /// Runs a statement that reads the table once, with the rows of a source.
  ///
  /// - Throws: An error of the source, or the ``SQLiteError`` of the statement.
  package func run(_ statement: Statement, reading source: any RowSource) throws {
    self.source = source
    defer { (self.source, failure) = (nil, nil) }
    do {
      try statement.runBound()
    } catch {
      throw failure ?? error
    }
  }

  fileprivate func advance() -> Int32 {
    do {
      isAtEnd = try source?.next() != true
      return SQLITE_OK
    } catch {
      failure = error
      return SQLITE_ABORT
    }
  }

  /// Sets a value of the row to null.
  @inline(__always)
  package func setNull(at column: Int) { values[column] = .null }

  /// Sets a value of the row.
  @inline(__always)
  package func set(_ value: Int64, at column: Int) { values[column] = .integer(value) }

  /// Sets a value of the row.
  @inline(__always)
  package func set(_ value: Double, at column: Int) { values[column] = .real(value) }

  /// Sets a value of the row; the bytes must live until the next row.
  @inline(__always)
  package func set(borrowingText bytes: UnsafeBufferPointer<UInt8>, at column: Int) {
    values[column] = .text(bytes)
  }

  /// Sets a value of the row; the bytes must live until the next row.
  @inline(__always)
  package func set(borrowingBlob bytes: UnsafeBufferPointer<UInt8>, at column: Int) {
    values[column] = .blob(bytes)
  }
}

extension Connection {
  /// Returns the table of rows with a number of columns.
  ///
  /// The corresponding C function is `sqlite3_create_module_v2`.
  ///
  /// - Throws: ``SQLiteError`` if SQLite refuses it.
  package func rowTable(columns: Int) throws(SQLiteError) -> RowTable {
    if let table = rowTables[columns] { return table }
    let table = RowTable(columns: columns)
    let module = RowModule.shared.pointer
    let user = Unmanaged.passRetained(table).toOpaque()
    let code = sqlite3_create_module_v2(handle, table.name, module, user, releaseContext)
    guard code == SQLITE_OK else { throw SQLiteError(database: handle) }
    rowTables[columns] = table
    return table
  }
}

/// The callbacks of all tables of rows.
private enum RowModule {
  static let shared = FunctionTable(functions)

  private static var functions: sqlite3_module {
    var module = sqlite3_module()
    module.xConnect = { database, user, _, _, table, _ in
      guard let database, let user, let table else { return SQLITE_ERROR }
      let rows = Unmanaged<RowTable>.fromOpaque(user).takeUnretainedValue()
      let columns = rows.values.indices.map { "c\($0)" }.joined(separator: ", ")
      let code = sqlite3_declare_vtab(database, "CREATE TABLE x(\(columns))")
      guard code == SQLITE_OK else { return code }
      table.pointee = Extended<sqlite3_vtab>.allocate(rows)
        .assumingMemoryBound(to: sqlite3_vtab.self)
      return SQLITE_OK
    }
    module.xDisconnect = { table in
      guard let table = UnsafeMutableRawPointer(table) else { return SQLITE_OK }
      Extended<sqlite3_vtab>.reference(of: table, as: RowTable.self).release()
      table.deallocate()
      return SQLITE_OK
    }
    module.xBestIndex = { _, _ in SQLITE_OK }
    module.xOpen = { table, cursor in
      guard let table = UnsafeMutableRawPointer(table), let cursor else { return SQLITE_ERROR }
      let rows = Extended<sqlite3_vtab>.reference(of: table, as: RowTable.self)
      cursor.pointee = Extended<sqlite3_vtab_cursor>.allocate(rows.takeUnretainedValue())
        .assumingMemoryBound(to: sqlite3_vtab_cursor.self)
      return SQLITE_OK
    }
    module.xClose = { cursor in
      guard let cursor = UnsafeMutableRawPointer(cursor) else { return SQLITE_OK }
      Extended<sqlite3_vtab_cursor>.reference(of: cursor, as: RowTable.self).release()
      cursor.deallocate()
      return SQLITE_OK
    }
    module.xFilter = { cursor, _, _, _, _ in RowModule.with(cursor) { $0.advance() } }
    module.xNext = { cursor in RowModule.with(cursor) { $0.advance() } }
    module.xEof = { cursor in RowModule.with(cursor) { $0.isAtEnd ? 1 : 0 } }
    module.xColumn = { cursor, context, column in
      RowModule.with(cursor) { table in
        switch table.values[Int(column)] {
        case .null: sqlite3_result_null(context)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .text(let bytes): depot_result_static_text(context, bytes.baseAddress, bytes.count)
        case .blob(let bytes): depot_result_static_blob(context, bytes.baseAddress, bytes.count)
        }
        return SQLITE_OK
      }
    }
    module.xRowid = { _, _ in SQLITE_ERROR }
    return module
  }

  /// Returns the result of `body` for the table that a cursor reads, without counting references.
  @inline(__always)
  private static func with(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?,
    _ body: (RowTable) -> Int32
  ) -> Int32 {
    guard let cursor = UnsafeMutableRawPointer(cursor) else { return SQLITE_ERROR }
    return Extended<sqlite3_vtab_cursor>.reference(of: cursor, as: RowTable.self)
      ._withUnsafeGuaranteedRef(body)
  }
}
