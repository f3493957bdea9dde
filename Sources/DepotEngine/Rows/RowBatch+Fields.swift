internal import DepotProtocol

extension RowBatch {
  /// Calls `body` at the start of each row, which `body` must read to its end.
  @inline(__always)
  func eachRow(_ body: (_ row: Int, inout RowReader) throws -> Void) throws {
    try json.withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes)
      var row = 0
      while try reader.beginRow() {
        try body(row, &reader)
        row += 1
      }
    }
  }

  /// Calls `body` with each row's field in a column.
  @inline(__always)
  func eachField(in column: Int, _ body: (_ row: Int, RowField) throws -> Void) throws {
    try eachRow { row, reader in
      var position = 0
      while !reader.isAtEndOfRow() {
        let field = try reader.field()
        if position == column { try body(row, field) }
        position += 1
      }
      try reader.endRow()
    }
  }
}
