internal import DepotProtocol
internal import DepotSQLite

/// A running stream of rows: an open statement and its progress.
final class FetchRun: StreamRun {
  private let form: StreamForm
  /// The parts of the form that each row needs; read from an object, they would be copied each time.
  private let writing: RowWriting
  private let section: RowWriting?
  private let liveKeys: LiveEntry.Keys?
  private let reply: ReplyWriter
  private let connection: Connection
  private let statement: Statement
  /// Whether the statement's current row was written.
  private var isRowWritten = true
  /// Whether the statement has no more rows.
  private var isAtEnd = false
  private var isFirstFrame = true
  /// Rows already written as JSON that didn't fit into a frame with their related rows.
  private var pending: ArraySlice<WrittenRow> = []
  /// The number of rows that fit into a frame together with their related rows.
  private var fittingRows = Int.max
  private var sections = SectionCounts()
  /// The part of a watched query's rows to keep.
  private var live: LiveSnapshot?
  /// The number of written rows.
  private(set) var rowCount = 0

  /// The size of related rows in bytes that fills a frame, unless they belong to a single row.
  private static let relatedBytes = 1 << 20

  private struct WrittenRow {
    var identifier: Int64
    var bytes: [UInt8]
  }

  /// Begins the stream of a plan, whose statement may be compiled already, with its values bound.
  init(
    _ plan: StreamPlan,
    _ reply: ReplyWriter,
    _ prepared: Statement? = nil,
    on connection: Connection
  ) throws {
    form = plan.form
    (writing, section, liveKeys) = (form.writing, form.section, form.liveKeys)
    self.reply = reply
    self.connection = connection
    // All statements must read the same snapshot, even after the first one has ended.
    if !form.prefetch.isEmpty || liveKeys != nil { try connection.beginSnapshot() }
    if liveKeys != nil { live = LiveSnapshot(token: try connection.historyHead()) }
    statement = if let prepared { prepared } else { try connection.prepared(plan.statement) }
  }

  /// Moves to the next row to write; returns whether another frame is needed.
  ///
  /// A frame is also needed for column names without rows.
  func prepareFrame() throws -> Bool {
    if !pending.isEmpty { return true }
    try moveOn()
    return !isAtEnd || isFirstFrame && form.columns != nil
  }

  private func moveOn() throws {
    guard isRowWritten, !isAtEnd else { return }
    isAtEnd = try !statement.step()
    isRowWritten = isAtEnd
  }

  /// Appends a frame of rows, if there is anything to write.
  ///
  /// It returns whether no rows remain. If it throws, the frame is incomplete.
  func writeFrame(to writer: inout JSONWriter, byteLimit: Int) throws -> Bool {
    guard try prepareFrame() else { return true }
    let start = reply.beginRows(
      kind: live == nil ? nil : "snapshot",
      written: isFirstFrame ? form.columns : nil,
      in: &writer
    )
    isFirstFrame = false
    if form.prefetch.isEmpty {
      try writeRows(to: &writer, from: start, byteLimit: byteLimit)
      reply.endRows(from: start, in: &writer)
    } else {
      try writeGraph(to: &writer, from: start, byteLimit: byteLimit)
    }
    guard writer.bytes.count - start <= Limits.frameBytes else { throw tooLarge }
    return isAtEnd && pending.isEmpty
  }

  private var tooLarge: DepotError {
    form.prefetch.isEmpty
      ? DepotError(.frameTooLarge, "A row of \(form.entity) is too large for a frame.")
        .hint("Select fewer attributes.")
      : DepotError(.frameTooLarge, "A row of \(form.entity) leads to too many others.")
        .hint("Prefetch fewer relationships, or fetch the rows by a predicate of their own.")
  }

  private func writeRows(
    to writer: inout JSONWriter,
    from start: Int,
    byteLimit: Int
  ) throws {
    var count = 0
    let mostRows = form.batch ?? .max
    try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: JSONPiece.capacity) { memory in
      var piece = JSONPiece(in: memory)
      while !isAtEnd, count < mostRows, writer.bytes.count + piece.count - start < byteLimit {
        if count > 0 { piece.byte(UInt8(ascii: ","), to: &writer) }
        try writeRow(&piece, to: &writer)
        count += 1
        guard count < mostRows, writer.bytes.count + piece.count - start < byteLimit else { break }
        try moveOn()
      }
      piece.move(to: &writer)
    }
    rowCount += count
  }

  @inline(__always)
  private func writeRow(_ piece: inout JSONPiece, to writer: inout JSONWriter) throws {
    let start = writer.bytes.count + piece.count
    try writing.write(
      statement.row,
      int64: reply.int64,
      limit: Limits.frameBytes,
      &piece,
      to: &writer
    )
    if let section {
      var key = JSONWriter(capacity: 32)
      try section.write(statement.row, int64: reply.int64, to: &key)
      sections.add(key.bytes)
    }
    isRowWritten = true
    guard let liveKeys else { return }
    piece.move(to: &writer)
    try live?.add(LiveEntry(statement.row, liveKeys, json: writer.bytes[start...]))
  }

  /// Writes rows with their prefetched rows; if those are too many, it writes fewer rows.
  private func writeGraph(
    to writer: inout JSONWriter,
    from start: Int,
    byteLimit: Int
  ) throws {
    var rows = try takeRows(byteLimit: byteLimit)
    while true {
      let limit = rows.count > 1 ? Self.relatedBytes : Limits.frameBytes
      var run = PrefetchRun(connection, reply, byteLimit: limit)
      let related = try run.related(form.prefetch, of: rows.map(\.identifier))
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

  /// Returns the next rows, up to the size of a frame.
  private func takeRows(byteLimit: Int) throws -> [WrittenRow] {
    var rows: [WrittenRow] = []
    var byteCount = 0
    let mostRows = min(form.batch ?? .max, fittingRows)
    while rows.count < mostRows, byteCount < byteLimit {
      if let row = pending.popFirst() {
        rows.append(row)
      } else {
        try moveOn()
        if isAtEnd { break }
        var writer = JSONWriter()
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: JSONPiece.capacity) { memory in
          var piece = JSONPiece(in: memory)
          try writeRow(&piece, to: &writer)
          piece.move(to: &writer)
        }
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
    // A watched query's call continues after its rows.
    if live != nil { return }
    let start = reply.begin(",\"ok\":{\"rows\":", in: &writer)
    writer.integer(rowCount)
    if section != nil {
      writer.member("sections")
      sections.write(to: &writer)
    }
    reply.end("}}", from: start, in: &writer)
  }

  func close() {
    connection.countScannedRows(of: statement)
    statement.reset()
  }
}

/// The number of rows in each section, counted while they are streamed.
private struct SectionCounts {
  /// The keys as JSON arrays of one element, in their order of appearance.
  private var sections: [(key: [UInt8], count: Int)] = []

  /// Counts a row.
  mutating func add(_ key: [UInt8]) {
    if let last = sections.last, last.key == key {
      sections[sections.count - 1].count += 1
    } else {
      sections.append((key, 1))
    }
  }

  /// Appends the value of `sections`.
  func write(to writer: inout JSONWriter) {
    writer.array(sections) { writer, section in
      writer.raw(section.key.dropLast())
      writer.raw(",")
      writer.integer(section.count)
      writer.raw("]")
    }
  }
}
