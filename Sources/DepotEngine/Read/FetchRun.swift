internal import DepotProtocol
internal import DepotSQLite

/// A running stream of rows: an open statement and the progress of writing.
struct FetchRun: StreamRun {
  private let plan: StreamPlan
  private let reply: ReplyWriter
  private let connection: Connection
  private let statement: Statement
  /// Whether the current row of the statement was written.
  private var isRowWritten = true
  /// Whether the statement has no more rows.
  private var isAtEnd = false
  private var isFirstFrame = true
  /// Rows that were written once, but too many others belong to them for one frame.
  private var pending: ArraySlice<WrittenRow> = []
  /// How many rows fit into a frame together with the rows that belong to them.
  private var fittingRows = Int.max
  private var sections = SectionCounts()
  /// The part of a watched query's rows that is kept.
  private var live: LiveSnapshot?
  /// How many rows were written.
  private(set) var rowCount = 0

  /// How many bytes of related rows make a frame full, unless they belong to a single row.
  private static let relatedBytes = 1 << 20

  private struct WrittenRow {
    var identifier: Int64
    var bytes: [UInt8]
  }

  init(
    _ plan: StreamPlan,
    _ reply: ReplyWriter,
    on connection: Connection
  ) throws {
    self.plan = plan
    self.reply = reply
    self.connection = connection
    // All statements must see the same state, also after the first has ended.
    if !plan.prefetch.isEmpty || plan.liveKeys != nil { try connection.beginSnapshot() }
    if plan.liveKeys != nil { live = LiveSnapshot(token: try connection.historyHead()) }
    statement = try connection.prepared(plan.statement)
  }

  /// Moves to the first row that isn't written yet, and returns whether a frame of rows or of
  /// column names is still to be written.
  mutating func prepareFrame() throws -> Bool {
    if !pending.isEmpty { return true }
    try moveOn()
    return !isAtEnd || isFirstFrame && plan.names != nil
  }

  private mutating func moveOn() throws {
    guard isRowWritten, !isAtEnd else { return }
    isAtEnd = try !statement.step()
    isRowWritten = isAtEnd
  }

  /// Appends a frame of rows, unless there is nothing to say, and returns whether it holds all the
  /// rows that were left; if it throws, the frame is incomplete.
  mutating func writeFrame(to writer: inout JSONWriter, byteLimit: Int) throws -> Bool {
    guard try prepareFrame() else { return true }
    let start = reply.beginRows(
      kind: live == nil ? nil : "snapshot",
      columns: isFirstFrame ? plan.names : nil,
      in: &writer
    )
    isFirstFrame = false
    if plan.prefetch.isEmpty {
      try writeRows(to: &writer, from: start, byteLimit: byteLimit)
      reply.endRows(from: start, in: &writer)
    } else {
      try writeGraph(to: &writer, from: start, byteLimit: byteLimit)
    }
    guard writer.bytes.count - start <= Limits.frameBytes else { throw tooLarge }
    return isAtEnd && pending.isEmpty
  }

  private var tooLarge: DepotError {
    plan.prefetch.isEmpty
      ? DepotError(.frameTooLarge, "A row of \(plan.entity) is too large for a frame.")
        .hint("Select fewer attributes.")
      : DepotError(.frameTooLarge, "A row of \(plan.entity) leads to too many others.")
        .hint("Prefetch fewer relationships, or fetch the rows by a predicate of their own.")
  }

  private mutating func writeRows(
    to writer: inout JSONWriter,
    from start: Int,
    byteLimit: Int
  ) throws {
    var count = 0
    let mostRows = plan.batch ?? .max
    while !isAtEnd, count < mostRows, writer.bytes.count - start < byteLimit {
      if count > 0 { writer.bytes.append(UInt8(ascii: ",")) }
      try writeRow(to: &writer)
      count += 1
      guard count < mostRows, writer.bytes.count - start < byteLimit else { break }
      try moveOn()
    }
    rowCount += count
  }

  private mutating func writeRow(to writer: inout JSONWriter) throws {
    let start = writer.bytes.count
    try plan.writing.write(
      statement.row,
      int64: reply.int64,
      limit: Limits.frameBytes,
      to: &writer
    )
    if let section = plan.section {
      var key = JSONWriter(capacity: 32)
      try section.write(statement.row, int64: reply.int64, to: &key)
      sections.add(key.bytes)
    }
    isRowWritten = true
    guard let keys = plan.liveKeys else { return }
    try live?.add(LiveEntry(statement.row, keys, json: writer.bytes[start...]))
  }

  /// Writes rows together with their prefetched rows; fewer rows if these are too many.
  private mutating func writeGraph(
    to writer: inout JSONWriter,
    from start: Int,
    byteLimit: Int
  ) throws {
    var rows = try takeRows(byteLimit: byteLimit)
    while true {
      let limit = rows.count > 1 ? Self.relatedBytes : Limits.frameBytes
      var run = PrefetchRun(connection, reply, byteLimit: limit)
      let related = try run.related(plan.prefetch, of: rows.map(\.identifier))
      guard let related else {
        guard rows.count > 1 else { throw tooLarge }
        fittingRows = rows.count / 2
        pending = rows[fittingRows...] + pending
        rows = Array(rows[..<fittingRows])
        continue
      }
      for (index, row) in rows.enumerated() {
        if index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
        writer.raw(row.bytes)
      }
      reply.endRows(from: start, related: related, in: &writer)
      rowCount += rows.count
      return
    }
  }

  /// Returns the next rows, as many as should be in a frame.
  private mutating func takeRows(byteLimit: Int) throws -> [WrittenRow] {
    var rows: [WrittenRow] = []
    var byteCount = 0
    let mostRows = min(plan.batch ?? .max, fittingRows)
    while rows.count < mostRows, byteCount < byteLimit {
      if let row = pending.popFirst() {
        rows.append(row)
      } else {
        try moveOn()
        if isAtEnd { break }
        var writer = JSONWriter()
        try writeRow(to: &writer)
        rows.append(
          WrittenRow(identifier: statement.row.integer(0), bytes: writer.bytes)
        )
      }
      byteCount += rows[rows.count - 1].bytes.count + 1
    }
    if pending.isEmpty { try moveOn() }
    return rows
  }

  var snapshot: LiveSnapshot? { live }

  func writeEnd(to writer: inout JSONWriter) {
    // The call of a watched query continues.
    if live != nil { return }
    reply.object(to: &writer) { writer in
      writer.member("rows", rowCount)
      if plan.section != nil {
        writer.member("sections")
        sections.write(to: &writer)
      }
    }
  }

  func close() {
    connection.countScannedRows(of: statement)
    statement.reset()
  }
}
