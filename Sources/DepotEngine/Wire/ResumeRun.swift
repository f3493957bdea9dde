internal import DepotProtocol
internal import DepotSQLite

/// The stream for a client that has a watched query's rows up to a token.
///
/// It has the rows that changed since, and the order of all.
struct ResumeRun: StreamRun {
  private let plan: LivePlan
  private let reply: ReplyWriter
  private let epochs: EpochChain
  private let statement: Statement
  private let changed: Set<Int64>
  private var live: LiveSnapshot
  private var isFirstFrame = true
  private var hasFrame = true
  private(set) var rowCount = 0

  /// Whether the result follows from the client's rows and the changes in the rows' own table.
  static func isPossible(_ plan: LivePlan, in catalog: Catalog) -> Bool {
    guard plan.window == nil, plan.dependencies.nodes.count == 1, !plan.dependencies.isOpaque else {
      return false
    }
    // The history doesn't list rows with only a new version, as changed links cause.
    guard plan.keys.countsVersion || plan.dependencies.membership.hasVersion else { return true }
    return (try? catalog.layout(of: plan.request.entity))?.relationships.isEmpty == true
  }

  /// Begins the stream in the connection's transaction; `nil` if the history lacks changes.
  init?(
    _ plan: LivePlan,
    _ reply: ReplyWriter,
    _ epochs: EpochChain,
    _ catalog: Catalog,
    since: Int64,
    on connection: Connection
  ) throws {
    let layout = try catalog.layout(of: plan.request.entity)
    live = LiveSnapshot(token: try connection.historyHead())
    let history = HistoryReach(connection: connection)
    guard live.token >= since, try history.knowsAll(since: since, of: layout, catalog),
      let changed = try history.rows(changedSince: since, of: layout)
    else { return nil }
    self.changed = changed
    self.plan = plan
    statement = try connection.prepared(plan.stream.statement)
    self.reply = reply
    self.epochs = epochs
  }

  func prepareFrame() -> Bool { hasFrame }

  func writeEnd(to writer: inout JSONWriter) {}

  /// Appends a frame; all but the last announce another one.
  mutating func writeFrame(to writer: inout JSONWriter, byteLimit: Int) throws -> Bool {
    var rows = JSONWriter(capacity: 64 << 10)
    var order = JSONWriter(capacity: 64 << 10)
    while rows.bytes.count + order.bytes.count < LiveFrames.frameBytes {
      guard try statement.step() else {
        hasFrame = false
        break
      }
      try writeRow(&rows, &order)
    }
    guard rows.bytes.count + order.bytes.count < Limits.frameBytes - 4096 else {
      throw DepotError(
        .frameTooLarge,
        "A row of \(plan.request.entity) is too large for a frame."
      )
      .hint("Select fewer attributes.")
    }
    let frames = LiveFrames(reply: reply, epochs: epochs)
    writer.raw(
      frames.frame("resume") { frame in
        frames.write("token", live.token, to: &frame)
        if hasFrame { frame.member("more", true) }
        if isFirstFrame, let names = plan.stream.form.names { frame.member("columns", names) }
        frame.raw(",\"next\":[")
        frame.raw(rows.bytes)
        frame.raw("],\"order\":[")
        frame.raw(order.bytes)
        frame.raw("]")
      }
    )
    isFirstFrame = false
    return !hasFrame
  }

  /// Appends the position of the current row, and the row itself if it changed.
  private mutating func writeRow(
    _ rows: inout JSONWriter,
    _ order: inout JSONWriter
  ) throws {
    let row = try plan.stream.form.writing.bytes(of: statement.row, int64: reply.int64)
    let entry = LiveEntry(statement.row, plan.keys, json: row[...])
    try live.add(entry)
    order.separate()
    order.integer(entry.identifier, as: reply.int64)
    guard changed.contains(entry.identifier) else { return }
    rows.separate()
    rows.raw(row)
    rowCount += 1
  }

  var snapshot: LiveSnapshot? { hasFrame ? nil : live }

  func close() { statement.reset() }
}

/// The tokens since which the history has all changes.
struct HistoryReach {
  /// The most changed rows; beyond that, all rows are read again.
  private static let rowLimit = 100_000

  let connection: Connection

  /// Whether every change of an entity's rows since a transaction is in the history.
  func knowsAll(
    since token: Int64,
    of layout: EntityLayout,
    _ catalog: Catalog
  ) throws -> Bool {
    let isKept = layout.numbers.values.allSatisfy { name in
      catalog.schema[name].map { catalog.schema.historyPolicy(of: $0) } != .some(.none)
    }
    guard isKept, try reaches(token) else { return false }
    // Rows changed by a migration aren't listed.
    let sql = "SELECT EXISTS (SELECT 1 FROM depot_history WHERE id > ? AND origin = 'schema')"
    return try connection.integer(sql, [.integer(token)]) == 0
  }

  /// Whether the history has all transactions after one.
  func reaches(_ token: Int64) throws -> Bool {
    // The oldest rows are deleted first, and some of them may still exist.
    try connection.number(.historyPurged) <= token
  }

  /// Returns the rows of an entity that were inserted or changed after a transaction.
  ///
  /// It is `nil` if there are too many to list.
  func rows(
    changedSince token: Int64,
    of layout: EntityLayout
  ) throws -> Set<Int64>? {
    let names = layout.numbers.values.sorted().map { "'\($0)'" }.joined(separator: ", ")
    let statement = try connection.statement(
      """
      SELECT \(HistoryTable.fullRow) FROM depot_history \
      WHERE id > ? AND kind < 2 AND entity IN (\(names))
      """
    )
    defer { statement.reset() }
    try statement.bind(token, at: 1)
    var result: Set<Int64> = []
    while try statement.step() {
      let record = try HistoryRecord(statement.row)
      for range in try record.ranges() {
        guard range.upperBound - range.lowerBound < Self.rowLimit else { return nil }
        result.formUnion(range)
      }
      for element in try record.elements() { result.insert(element.row) }
      if result.count > Self.rowLimit { return nil }
    }
    return result
  }
}
