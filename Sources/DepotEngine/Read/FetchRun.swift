internal import DepotProtocol
internal import DepotSQLite

/// A fetch that is under way: an open statement and what was written of its rows.
struct FetchRun {
  private let request: FetchRequest
  private let reply: ReplyWriter
  private let statement: Statement
  private let reading: RowReading
  private let names: [String]?
  /// Whether the current row of the statement was written.
  private var isRowWritten = true
  /// Whether the statement has no more rows.
  private(set) var isAtEnd = false
  private var isFirstFrame = true
  /// How many rows were written.
  private(set) var rowCount = 0

  init(
    _ request: FetchRequest,
    _ shape: RowShape,
    _ query: ReadStatement,
    _ reply: ReplyWriter,
    on connection: Connection
  ) throws(ReadEnd) {
    self.request = request
    self.reply = reply
    statement = try connection.prepared(query)
    reading = RowReading(shape)
    names = request.namesColumns ? shape.names : nil
  }

  /// Moves to the first row that isn't written yet.
  ///
  /// - Returns: Whether a frame of rows or of column names is still to be written.
  mutating func prepareFrame() throws(ReadEnd) -> Bool {
    if isRowWritten && !isAtEnd {
      isAtEnd = try !statement.advance()
      isRowWritten = isAtEnd
    }
    return !isAtEnd || isFirstFrame && names != nil
  }

  /// Appends a frame of rows, unless there is nothing to say.
  ///
  /// - Returns: Whether it holds all the rows that were left.
  /// - Throws: ``ReadEnd``; the frame is incomplete then.
  mutating func writeFrame(
    to writer: inout JSONWriter,
    byteLimit: Int
  ) throws(ReadEnd) -> Bool {
    guard try prepareFrame() else { return true }
    let start = reply.beginRows(columns: isFirstFrame ? names : nil, in: &writer)
    isFirstFrame = false
    var count = 0
    let mostRows = request.batch ?? .max
    while !isAtEnd, count < mostRows, writer.bytes.count - start < byteLimit {
      if count > 0 { writer.bytes.append(UInt8(ascii: ",")) }
      do {
        try reading.write(statement.row, int64: reply.int64, to: &writer)
      } catch {
        throw .failed(error)
      }
      count += 1
      isRowWritten = true
      guard count < mostRows, writer.bytes.count - start < byteLimit else { break }
      _ = try prepareFrame()
    }
    rowCount += count
    reply.endRows(from: start, in: &writer)
    guard writer.bytes.count - start <= Limits.frameBytes else {
      throw .failed(
        DepotError(.frameTooLarge, "A row of \(request.entity) is too large for a frame.")
          .hint("Select fewer attributes.")
      )
    }
    return isAtEnd
  }

  /// Appends the terminal frame.
  func writeEnd(to writer: inout JSONWriter) {
    reply.ok(to: &writer) { writer in
      writer.raw("{\"rows\":")
      writer.integer(rowCount)
      writer.raw("}")
    }
  }

  /// Ends the statement and with it its snapshot.
  func close() {
    statement.reset()
  }
}
