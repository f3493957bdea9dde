public import DepotProtocol

extension RelatedBlock {
  /// Calls `body` with each row, whose identifier and version were read.
  ///
  /// - Throws: ``DepotError`` if the bytes aren't rows or hold other values; errors of `body`.
  public func forEachRow(_ body: (inout RowReader) throws -> Void) throws {
    if let rows { try bytes.withRows(at: rows, RowReading(), body) }
  }

  /// Calls `body` with each source row of a to-many relationship, and its targets' identifiers.
  ///
  /// - Throws: ``DepotError`` if the bytes aren't links; errors of `body`.
  public func forEachLink(_ body: (_ source: Int64, _ targets: [Int64]) throws -> Void) throws {
    guard let links else { return }
    try bytes.withRows(at: links, RowReading(hasIdentity: false)) { row in
      try body(row.next(), row.next())
    }
  }
}
