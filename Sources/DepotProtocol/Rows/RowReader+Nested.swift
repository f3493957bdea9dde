extension RowReader {
  /// The column index of the next value; within a list, the column index of the list.
  package var column: Int { listColumn ?? index }

  /// Reads the next value as a list, calling `body` to read each element.
  ///
  /// - Throws: ``DepotError`` `request.type` if it isn't a list, or an error of `body`.
  package mutating func list(
    _ body: (inout RowReader) throws(DepotError) -> Void
  ) throws(DepotError) {
    if index > 0 { try expect(",") }
    guard peek() == UInt8(ascii: "[") else {
      throw DepotError(.type, "Expected a list, found \(try unseparatedField().kind).")
    }
    position += 1
    let outer = (index: index + 1, column: listColumn)
    listColumn = column
    index = 0
    while peek() != UInt8(ascii: "]") { try body(&self) }
    position += 1
    (index, listColumn) = outer
  }

  /// Reads the next value as an object, calling `body` with each name to read its value.
  ///
  /// - Throws: ``DepotError`` `request.type` if it isn't an object, or an error of `body`.
  package mutating func object(
    _ body: (String, inout RowReader) throws(DepotError) -> Void
  ) throws(DepotError) {
    if index > 0 { try expect(",") }
    guard peek() == UInt8(ascii: "{") else {
      throw DepotError(.type, "Expected an object, found \(try unseparatedField().kind).")
    }
    position += 1
    let outer = index + 1
    index = 0
    while peek() != UInt8(ascii: "}") {
      guard let name = try field().string else { throw malformed("a name") }
      try expect(":")
      index = 0
      try body(name, &self)
      index = 1
    }
    position += 1
    index = outer
  }

  /// Returns another reader at the same position of the same row.
  package func copy() -> RowReader {
    var copy = RowReader(value: bytes, at: position)
    copy.index = index
    copy.listColumn = listColumn
    copy.relatives = relatives
    return copy
  }

  /// Reads the next value and returns its text as it is written.
  package mutating func text() throws(DepotError) -> UnsafeBufferPointer<UInt8> {
    if index > 0 { try expect(",") }
    _ = peek()
    let start = position
    _ = try unseparatedField()
    index += 1
    return UnsafeBufferPointer(rebasing: bytes[start..<position])
  }

  /// Reads a value that no comma precedes, or whose comma was read, without counting it.
  private mutating func unseparatedField() throws(DepotError) -> RowField {
    let count = index
    index = 0
    defer { index = count }
    return try field()
  }
}
