public import CDepotSQLite

/// The current row of a statement, valid until the statement steps again.
///
/// Its parts are public because the compiler puts only public functions into their callers in other
/// modules; no product has this module.
public struct Row: ~Copyable {
  @usableFromInline let handle: OpaquePointer

  @inlinable
  init(handle: OpaquePointer) { self.handle = handle }

  package var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// The kinds of values in a column.
  public enum Kind: Sendable {
    case integer
    case real
    case text
    case blob
    case null

    @inlinable
    init(_ type: Int32) {
      self =
        switch type {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }
  }

  /// The kind of the value in a column.
  ///
  /// The corresponding C function is `sqlite3_column_type`.
  @inline(__always)
  package func kind(_ column: Int) -> Kind {
    Kind(sqlite3_column_type(handle, Int32(column)))
  }

  package func isNull(_ column: Int) -> Bool { kind(column) == .null }

  /// The value in a column, whose bytes are valid until the statement steps again.
  public enum Content {
    case null
    case integer(Int64)
    case real(Double)
    case text(UnsafeBufferPointer<UInt8>)
    case blob(UnsafeBufferPointer<UInt8>)
  }

  /// Returns the value in a column, in one call for its kind and its content.
  ///
  /// The corresponding C functions are `sqlite3_column_value` and `sqlite3_value_*`. SQLite protects
  /// such a value from no other thread, but the connection has only one.
  @inlinable
  public func content(_ column: Int) -> Content {
    let value = sqlite3_column_value(handle, Int32(column))
    switch Kind(sqlite3_value_type(value)) {
    case .integer: return .integer(sqlite3_value_int64(value))
    case .real: return .real(sqlite3_value_double(value))
    case .text:
      // The pointer is read before the count, as SQLite's documentation requires.
      let start = sqlite3_value_text(value)
      return .text(UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    case .blob:
      let start = sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self)
      return .blob(UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    case .null: return .null
    }
  }

  @inlinable
  public func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

  @inline(__always)
  package func real(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

  /// The bytes of a text or blob, valid until the statement steps again.
  @inline(__always)
  package func bytes(_ column: Int) -> UnsafeBufferPointer<UInt8> {
    let column = Int32(column)
    // The pointer is read before the count, as SQLite's documentation requires.
    let isBlob = sqlite3_column_type(handle, column) == SQLITE_BLOB
    let pointer =
      isBlob
      ? sqlite3_column_blob(handle, column)?.assumingMemoryBound(to: UInt8.self)
      : sqlite3_column_text(handle, column)
    return UnsafeBufferPointer(start: pointer, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// The bytes of a value known to be a blob, valid until the statement steps again.
  @inline(__always)
  package func blobBytes(_ column: Int) -> UnsafeBufferPointer<UInt8> {
    let pointer = sqlite3_column_blob(handle, Int32(column))
    return UnsafeBufferPointer(
      start: pointer?.assumingMemoryBound(to: UInt8.self),
      count: Int(sqlite3_column_bytes(handle, Int32(column)))
    )
  }

  package func text(_ column: Int) -> String { String(decoding: bytes(column), as: UTF8.self) }

  package func blob(_ column: Int) -> [UInt8] { Array(bytes(column)) }

  package subscript(_ column: Int) -> SQLiteValue {
    switch kind(column) {
    case .integer: .integer(integer(column))
    case .real: .real(real(column))
    case .text: .text(text(column))
    case .blob: .blob(blob(column))
    case .null: .null
    }
  }
}
