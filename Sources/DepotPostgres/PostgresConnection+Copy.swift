/// Encodes the rows of a table for `COPY … FROM STDIN (FORMAT binary)`.
///
/// Each column must get exactly one value of its type.
package struct PostgresRowWriter {
  fileprivate var bytes: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + .init(zeros: 8)
  private var columnCount: Int16 = 0

  fileprivate init() {
    bytes.reserveCapacity(1 << 17)
  }

  /// Appends the value of the next column.
  ///
  /// - Throws: ``PostgresError`` of the kind `invalidValue`.
  package mutating func append(_ value: PostgresValue) throws(PostgresError) {
    try value.check()
    value.append(to: &bytes)
    columnCount += 1
  }

  /// Writes the next row, if there is one.
  fileprivate mutating func writeRow(
    _ body: (inout PostgresRowWriter) throws -> Bool
  ) rethrows -> Bool {
    let start = bytes.count
    columnCount = 0
    bytes.append(bigEndian: columnCount)
    guard try body(&self) else {
      bytes.removeSubrange(start...)
      bytes.append(bigEndian: Int16(-1))
      return false
    }
    bytes.replace(bigEndian: columnCount, at: start)
    return true
  }
}

extension PostgresConnection {
  /// Inserts many rows into a table.
  ///
  /// - Parameters:
  ///   - sql: `COPY … FROM STDIN (FORMAT binary)`.
  ///   - rows: Writes the values of one row; returns `false` after the last. If it throws, no row
  ///     is inserted.
  /// - Returns: The number of inserted rows.
  /// - Throws: ``PostgresError``, or an error of `rows`.
  @discardableResult
  package func copyIn(
    _ sql: String,
    rows: (inout PostgresRowWriter) throws -> Bool
  ) throws -> Int {
    precondition(outstanding == nil && !isReadingRows, "The results before have to be read first.")
    guard library.sendQuery(try handle, sql) == 1 else { throw lose() }
    try flush()
    roundTrips += 1
    guard let answer = try lastResult() else { throw lose() }
    guard answer.status == .copyIn else {
      precondition(answer.status == .fatalError, "The statement is no COPY … FROM STDIN.")
      throw failure(answer, sql: sql)
    }
    do {
      var writer = PostgresRowWriter()
      while try writer.writeRow(rows) {
        if writer.bytes.count >= 1 << 16 { try put(&writer) }
      }
      try put(&writer)
    } catch {
      if !isBroken { _ = try endCopy("given up") }
      throw error
    }
    guard let result = try endCopy(nil) else { throw lose() }
    guard result.status == .commandOK else { throw failure(result, sql: sql) }
    return result.affectedRows
  }

  /// Sends the buffered rows.
  ///
  /// The corresponding C function is `PQputCopyData`.
  private func put(_ writer: inout PostgresRowWriter) throws(PostgresError) {
    let handle = try handle
    let code = writer.bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map {
        library.putCopyData(handle, $0.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
      } ?? 1
    }
    writer.bytes.removeAll(keepingCapacity: true)
    guard code == 1 else { throw lose() }
    try flush()
    // libpq discards bytes that can't be sent without an error: only reading reveals a lost
    // connection.
    if library.consumeInput(handle) == 0 { throw lose() }
  }

  /// Ends the copying, with a reason if it is cancelled.
  ///
  /// The corresponding C function is `PQputCopyEnd`.
  private func endCopy(_ reason: String?) throws(PostgresError) -> PostgresResult? {
    guard library.putCopyEnd(try handle, reason) == 1 else { throw lose() }
    try flush()
    roundTrips += 1
    return try lastResult()
  }
}

extension [UInt8] {
  fileprivate init(zeros count: Int) { self.init(repeating: 0, count: count) }
}
