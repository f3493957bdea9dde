public import DepotProtocol

/// Some consecutive rows of a fetch, as the received bytes.
public struct RowFrame: Sendable {
  /// The whole frame.
  package let bytes: [UInt8]
  /// Where its rows begin.
  package let offset: Int
  /// The names of the columns; only in the first frame of a fetch, and if the request wants them.
  public let columns: [String]?
  package var reading = RowReading()

  /// How many bytes the rows take.
  public var byteCount: Int { bytes.count - offset }

  /// Calls `body` with each row, whose identifier and version were read.
  ///
  /// - Parameter body: Reads a row: the values of the attributes in the order of the columns, all
  ///   of them.
  /// - Throws: ``DepotError`` if the bytes aren't rows or hold other values; errors of `body`.
  public func forEachRow(_ body: (inout RowReader) throws -> Void) throws {
    try forEachRow(of: bytes, at: offset, nil, body)
  }

  /// Calls `body` with each of some rows that refer to the frame's prefetched ones.
  private func forEachRow(
    of rows: [UInt8],
    at offset: Int,
    _ large: LargeValues?,
    _ body: (inout RowReader) throws -> Void
  ) throws {
    let scope = try reading.prefetching.map { names in
      RelatedScope(RelatedRows(try related(), large), path: "", names)
    }
    try rows.withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes, at: offset)
      reader.relatives = scope
      while try reader.beginRow() {
        if reading.hasIdentity { try reader.readIdentity() }
        try body(&reader)
        try reader.endRow()
      }
    }
  }

  /// Calls `body` with each row, with whole values in place of their lengths.
  ///
  /// - Parameters:
  ///   - large: The values that are known; it takes note of the others.
  ///   - columns: The columns of the rows.
  ///   - body: Reads a row.
  /// - Throws: ``DepotError`` `request.type` if a value isn't known.
  func forEachRow(
    with large: LargeValues,
    _ columns: LargeColumns,
    _ body: (inout RowReader) throws -> Void
  ) throws {
    var rows = JSONWriter()
    rows.raw("[")
    var isFirst = true
    try forEachRow { row in
      rows.raw(isFirst ? "[" : ",[")
      isFirst = false
      rows.integer(row.identifier)
      rows.raw(",")
      rows.integer(row.version)
      var column = 0
      while !row.isAtEndOfRow() {
        rows.raw(",")
        let value = Array(try row.text())
        let whole = large.text(in: value, column, of: columns, row.identifier, row.version)
        rows.raw(whole ?? value)
        column += 1
      }
      rows.raw("]")
    }
    rows.raw("]")
    try forEachRow(of: rows.bytes, at: 0, large, body)
  }

  /// Calls `body` with the JSON text of each element of the stream, of any JSON type.
  ///
  /// - Parameter body: Takes the text, which is valid until it returns.
  /// - Throws: ``DepotError`` if the bytes aren't a list of JSON values; errors of `body`.
  package func forEachElement(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    try bytes.withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes, at: offset)
      while !reader.isAtEndOfRow() { try body(reader.text()) }
    }
  }

  /// Calls `body` with a reader at the beginning of each row.
  ///
  /// - Parameters:
  ///   - hasIdentity: Whether rows begin with an identifier and a version, which are read before.
  ///   - body: Reads all values of a row.
  /// - Throws: ``DepotError`` if the frame has no rows; errors of `body`.
  package func withRows(
    hasIdentity: Bool,
    _ body: (inout RowReader) throws -> Void
  ) throws {
    try bytes.withRows(at: offset, RowReading(hasIdentity: hasIdentity), body)
  }

  /// Returns another member of the frame, such as `related`, or `nil`.
  package func member(_ name: StaticString) throws(DepotError) -> JSONNode? {
    var reader = try JSONObjectReader(JSONDocument(bytes, valueLimit: .max).root)
    return reader.optional(name)
  }

  /// Returns the rows of relationships that were prefetched for these rows.
  ///
  /// - Throws: ``DepotError`` if the frame has none that can be read.
  public func related() throws -> [RelatedBlock] { try RelatedBlock.all(in: bytes) }
}
