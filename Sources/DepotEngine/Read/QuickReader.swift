internal import DepotLinux
package import DepotProtocol
internal import DepotSQLite

/// Answers reads that are short, on the thread that received them.
///
/// A read that turns out long is handed back untouched, for a ``ReaderPool``. No snapshot stays open
/// between two reads, unless they are within one batch.
package final class QuickReader {
  /// How large an answer may be, in bytes.
  private static let answerBytes = 64 << 10
  /// How large the answer to a `get` may be, in bytes.
  private static let getBytes = 1 << 20
  /// How many bytes of SQL may be prepared here, which nothing can interrupt.
  private static let sqlBytes = 16 << 10
  /// How many rows a `get` may name.
  private static let identifiers = 128

  private let connection: Connection
  private let clock: ReadClock
  private var longReads = LongReadMemory()
  private var plans: [String: GetPlan] = [:]
  private var streams = ShapedPlans<StreamPlan>()
  private var questions = ShapedPlans<ReadStatement>()
  private var generation = -1
  /// Whether reads share a snapshot.
  private var keepsSnapshot = false

  /// Opens the store at `path`, which must exist; `budget` and `patience` are the nanoseconds for
  /// which a read may keep the thread, and for which one that is alone may while `isAwaited` says
  /// that nothing waits for it.
  package init(
    path: String,
    isFrozen: Bool = false,
    budget: UInt64 = 250_000,
    patience: UInt64 = 5_000_000,
    isAwaited: @escaping () -> Bool = { true }
  ) throws(DepotError) {
    clock = ReadClock(budget, patience: patience, isAwaited: isAwaited)
    connection = try .reader(path: path, isFrozen: isFrozen, cacheKiB: 16384)
    // The thread must not wait; a read that meets a lock is long.
    try reading { () throws(SQLiteError) in try connection.execute("PRAGMA busy_timeout = 0") }
    connection.refusesLargeValues = true
    connection.watch(every: 200, ProgressCheck { [clock] in clock.isOver })
  }

  /// Lets the reads until ``endBatch()`` share a snapshot, since the locks for one cost more than a
  /// short read.
  ///
  /// They don't see later commits, so end the batch before a commit is announced.
  package func beginBatch() {
    keepsSnapshot = true
  }

  /// Ends the snapshot that the reads since ``beginBatch()`` shared.
  package func endBatch() {
    keepsSnapshot = false
    // The last read's budget may be used up, and must not interrupt this.
    clock.stop()
    if connection.isInTransaction { try? connection.run("COMMIT") }
  }

  /// Opens the batch's snapshot for its first read.
  private func joinBatch() throws(DepotError) {
    guard keepsSnapshot, !connection.isInTransaction else { return }
    clock.stop()
    try reading { () throws(SQLiteError) in try connection.run("BEGIN") }
  }

  /// Appends the whole answer to a `get`, `fetch`, `count`, or `explain`, and returns whether it
  /// did.
  ///
  /// If it didn't, or throws, nothing was appended; without an error, the read must go to a pool. A
  /// read that `isAlone` delays nothing else, and may take longer than its budget until something
  /// comes. The plan of a call whose `form` has a shape is made once for all of its shape.
  package func perform(
    _ operation: Operation,
    form: CallForm = CallForm(),
    catalog: Catalog,
    control: CallControl,
    reply: ReplyWriter,
    isAlone: Bool = false,
    into writer: inout JSONWriter
  ) throws(DepotError) -> Bool {
    try control.check()
    clock.isPatient = isAlone
    if generation != catalog.generation {
      plans = [:]
      streams.removeAll()
      questions.removeAll()
      connection.forgetStatements()
      generation = catalog.generation
    }
    try joinBatch()
    let start = writer.bytes.count
    do {
      if try answer(operation, form, catalog, reply, &writer) { return true }
      writer.bytes.removeSubrange(start...)
      return false
    } catch {
      writer.bytes.removeSubrange(start...)
      guard case .failed(let error) = ReadEnd(error), error.code != .busy else { return false }
      throw error
    }
  }

  private func answer(
    _ operation: Operation,
    _ form: CallForm,
    _ catalog: Catalog,
    _ reply: ReplyWriter,
    _ writer: inout JSONWriter
  ) throws -> Bool {
    switch operation {
    case .get(let request):
      guard request.identifiers.count <= Self.identifiers,
        !longReads.mustSkip(request.entity, isAlone: false)
      else { return false }
      // The preparation of a statement may not be interrupted: it would pass for a failure.
      clock.stop()
      let plan = try plan(request, catalog)
      clock.restart()
      do {
        try plan.answer(request, reply, byteLimit: Self.getBytes, &writer)
      } catch let error as DepotError where error.code == .frameTooLarge {
        longReads.remember(request.entity, evenAlone: true, isTooLarge: true)
        return false
      }
      return true
    case .fetch, .aggregate:
      return try stream(streams.plan(operation, form, in: catalog), reply, &writer)
    case .count:
      let query = try questions.plan(operation, form, in: catalog)
      return try attempt(query) {
        reply.count(try query.integer(on: connection), to: &writer)
        return true
      }
    case .exists:
      let query = try questions.plan(operation, form, in: catalog)
      return try attempt(query) {
        reply.exists(try query.integer(on: connection) != 0, to: &writer)
        return true
      }
    case .explain(let request):
      // A read that is to be run to its end has all the time that it needs elsewhere.
      if request.runs { return false }
      clock.stop()
      let size = try request.read.statement(in: catalog).sql.utf8.count
      guard size <= Self.sqlBytes else { return false }
      try Explanation(request, catalog, on: connection).answer(reply, to: &writer)
      return true
    // A value outside its row, or an answer that lies far back, needs a thread of its own.
    default: return false
    }
  }

  /// Returns SQLite's plan for a read, or `nil` if there is none.
  func plan(of read: ExplainRequest.Read, _ catalog: Catalog) -> ReadPlan? {
    clock.stop()
    return try? ReadPlan(of: read.statement(in: catalog), on: connection)
  }

  private func plan(_ request: GetRequest, _ catalog: Catalog) throws -> GetPlan {
    let isPlain =
      request.select == nil && request.prefetch.isEmpty && !request.includesSubentityColumns
    if isPlain, let plan = plans[request.entity] { return plan }
    let plan = try GetPlan(request, in: catalog, connection)
    if isPlain { plans[request.entity] = plan }
    return plan
  }

  private func stream(
    _ plan: StreamPlan,
    _ reply: ReplyWriter,
    _ writer: inout JSONWriter
  ) throws -> Bool {
    // The run may have begun a snapshot.
    defer { if !keepsSnapshot { endBatch() } }
    return try attempt(plan.statement) {
      var run = try FetchRun(plan, reply, on: connection)
      defer { run.close() }
      guard try run.writeFrame(to: &writer, byteLimit: Self.answerBytes) else { return false }
      run.writeEnd(to: &writer)
      return true
    }
  }

  /// Tries a query that may turn out long, unless it did so lately.
  private func attempt(
    _ query: ReadStatement,
    _ body: () throws -> Bool
  ) throws -> Bool {
    if query.isSlow || query.sql.utf8.count > Self.sqlBytes { return false }
    if longReads.mustSkip(query.sql, isAlone: clock.isPatient) { return false }
    clock.restart()
    do {
      let isDone = try body()
      if !isDone || clock.isOver {
        let evenAlone = !isDone || clock.isPatient
        longReads.remember(query.sql, evenAlone: evenAlone, isTooLarge: !isDone)
      } else if clock.isPatient {
        longReads.forget(query.sql)
      }
      return isDone
    } catch {
      if case .interrupted = ReadEnd(error) {
        longReads.remember(query.sql, evenAlone: clock.isPatient)
      }
      throw error
    }
  }
}
