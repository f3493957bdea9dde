internal import DepotProtocol
internal import DepotSQLite

/// One stored value, which may point to bytes that live elsewhere.
///
/// It holds no references, so that a row of cells costs nothing but its bytes.
enum Cell {
  case null
  case integer(Int64)
  case real(Double)
  case text(UnsafeBufferPointer<UInt8>)
  case blob(UnsafeBufferPointer<UInt8>)
}

extension Cell {
  /// Reads a column; text and blobs are valid until the statement steps again.
  init(_ row: borrowing Row, _ column: Int) {
    switch row.kind(column) {
    case .integer: self = .integer(row.integer(column))
    case .real: self = .real(row.real(column))
    case .text: self = .text(row.bytes(column))
    case .blob: self = .blob(row.bytes(column))
    case .null: self = .null
    }
  }

  var isNull: Bool { if case .null = self { true } else { false } }

  /// Binds the value; its bytes must live until the statement is reset.
  @inline(__always)
  func bind(to statement: Statement, at index: Int) throws(SQLiteError) {
    switch self {
    case .null: try statement.bindNull(at: index)
    case .integer(let value): try statement.bind(value, at: index)
    case .real(let value): try statement.bind(value, at: index)
    case .text(let bytes): try statement.bind(borrowingText: bytes, at: index)
    case .blob(let bytes): try statement.bind(borrowingBlob: bytes, at: index)
    }
  }
}

extension RowChecksum {
  /// Adds the value of an attribute at its position.
  @inline(__always)
  mutating func add(_ cell: Cell, at position: Int) {
    switch cell {
    case .null: break
    case .integer(let value): add(value, at: position)
    case .real(let value): add(value, at: position)
    case .text(let bytes): add(text: bytes, at: position)
    case .blob(let bytes): add(blob: bytes, at: position)
    }
  }
}
