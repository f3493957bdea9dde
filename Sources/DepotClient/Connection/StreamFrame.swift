package import DepotProtocol

/// A frame of a stream as it came.
package struct StreamFrame: Sendable {
  /// The names of the columns, in the first frame of a stream that names them.
  package let columns: [String]?
  /// The whole frame.
  package let bytes: [UInt8]
  /// Where its rows begin.
  package let rowsOffset: Int

  /// Calls `body` with a reader at the beginning of each row.
  ///
  /// - Parameters:
  ///   - hasIdentity: Whether rows begin with an identifier and a version, which are read before.
  ///   - body: What to do with a row; it reads all values.
  /// - Throws: ``DepotError`` if the frame has no rows, or what `body` throws.
  package func withRows(
    hasIdentity: Bool,
    _ body: (inout RowReader) throws -> Void
  ) throws {
    try bytes.withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes, at: rowsOffset)
      while try reader.beginRow() {
        if hasIdentity { try reader.readIdentity() }
        try body(&reader)
        try reader.endRow()
      }
    }
  }

  /// Returns another member of the frame, such as `related`, or `nil`.
  package func member(_ name: StaticString) throws(DepotError) -> JSONNode? {
    var reader = try JSONObjectReader(JSONDocument(bytes, valueLimit: .max).root)
    return reader.optional(name)
  }
}
