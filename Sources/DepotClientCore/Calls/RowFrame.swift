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
    let scope = try reading.prefetching.map { names in
      RelatedScope(RelatedRows(try related()), path: "", names)
    }
    try bytes.withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes, at: offset)
      reader.relatives = scope
      while try reader.beginRow() {
        if reading.hasIdentity { try reader.readIdentity() }
        try body(&reader)
        try reader.endRow()
      }
    }
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
