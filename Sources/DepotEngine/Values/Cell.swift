internal import DepotSQLite
internal import Glibc

/// One stored value, which may point to bytes stored elsewhere.
///
/// It holds no references, so that copying a row of cells doesn't count references.
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
    switch row.content(column) {
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .text(let bytes): self = .text(bytes)
    case .blob(let bytes): self = .blob(bytes)
    case .null: self = .null
    }
  }

  var isNull: Bool { if case .null = self { true } else { false } }

  /// Binds the value; its bytes must stay valid until the statement is reset.
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

extension Cell {
  /// Makes a cell of a value that SQLite owns; its bytes are valid as long as that value.
  init(_ value: BorrowedValue) {
    switch value.kind {
    case .integer: self = .integer(value.integer)
    case .real: self = .real(value.real)
    case .text: self = .text(value.bytes)
    case .blob: self = .blob(value.bytes)
    case .null: self = .null
    }
  }

  /// Whether another value is identical in every bit.
  func isSame(as other: Cell) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.integer(let first), .integer(let second)): first == second
    case (.real(let first), .real(let second)): first.bitPattern == second.bitPattern
    case (.text(let first), .text(let second)), (.blob(let first), .blob(let second)):
      first.count == second.count
        && Self.areEqual(first.baseAddress, second.baseAddress, first.count)
    default: false
    }
  }

  @inline(__always)
  private static func areEqual(
    _ first: UnsafePointer<UInt8>?,
    _ second: UnsafePointer<UInt8>?,
    _ count: Int
  ) -> Bool {
    guard let first, let second else { return count == 0 }
    return memcmp(first, second, count) == 0
  }
}

extension Cell {
  /// Makes a cell of a value, whose bytes are copied to the arena.
  init(stored value: SQLiteValue, in arena: CellArena) {
    switch value {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .text(let text): self = .text(arena.copy(Array(text.utf8)))
    case .blob(let bytes): self = .blob(arena.copy(bytes))
    }
  }

  /// A copy of the value.
  var value: SQLiteValue {
    switch self {
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
    case .blob(let bytes): .blob(Array(bytes))
    }
  }
}
