internal import DepotLinux
package import DepotProtocol
internal import DepotSQLite

/// Executes short reads on the thread that received them.
///
/// A read that turns out to be long is returned unchanged, for a ``ReaderPool``. No snapshot stays
/// open between two reads, unless they are in one batch.
package final class QuickReader {
  /// The largest answer in bytes.
  private static let answerBytes = 64 << 10
  /// The largest answer to a `get` in bytes.
  private static let getBytes = 1 << 20
  /// The most bytes of SQL to compile here, since compiling can't be interrupted.
  private static let sqlBytes = 16 << 10
  /// The most rows of a `get`.
  private static let identifiers = 128

  private let connection: Connection
  private let clock: ReadClock
  private var longReads = LongReadMemory()
  private var plans: [String: GetPlan] = [:]
  /// The one of the plans that was used last.
  private var lastPlan: GetPlan?
  private var streams = ShapedPlans<StreamPlan>()
  private var questions = ShapedPlans<ReadStatement>()
  private var generation = -1
  /// Whether the reads of a batch share a snapshot.
  private var keepsSnapshot = false

  /// Opens the store at `path`, which must exist.
  ///
  /// A read may use the thread for `budget` nanoseconds. If it is alone, it may use it for
  /// `patience` nanoseconds, as long as `isAwaited` returns `false`.
  package init(
    path: String,
    isFrozen: Bool = false,
    budget: UInt64 = 250_000,
    patience: UInt64 = 5_000_000,
    isAwaited: @escaping () -> Bool = { true }
  ) throws(DepotError) {
    clock = ReadClock(budget, patience: patience, isAwaited: isAwaited)
    connection = try .reader(path: path, isFrozen: isFrozen, cacheKiB: 16384)
    // The thread must not wait, so a read that meets a lock counts as long.
    try reading { () throws(SQLiteError) in try connection.execute("PRAGMA busy_timeout = 0") }
    connection.refusesLargeValues = true
    connection.watch(every: 200, ProgressCheck { [clock] in clock.isOver })
  }

  /// Makes all reads until ``endBatch()`` share a snapshot.
  ///
  /// The locks of a snapshot cost more than a short read. The reads don't see later commits, so end
  /// the batch before a commit is announced.
  package func beginBatch() {
    keepsSnapshot = true
  }

  /// Ends the snapshot shared since ``beginBatch()``.
  package func endBatch() {
    keepsSnapshot = false
    // The last read may have used up its time, which must not interrupt this.
    clock.stop()
    if connection.isInTransaction { try? connection.run("COMMIT") }
  }

  /// Begins the batch's snapshot for its first read.
  private func joinBatch() throws(DepotError) {
    guard keepsSnapshot, !connection.isInTransaction else { return }
    clock.stop()
    try reading { () throws(SQLiteError) in try connection.run("BEGIN") }
  }

  /// Appends the complete answer to a `get`, `fetch`, `count`, or `explain`, if it is short.
  ///
  /// If it returns `false` or throws, nothing was appended; in the first case, the read must use a
  /// pool. A read that `isAlone` delays nothing else, and may exceed its budget until other work
  /// arrives. The plan of a call whose `form` has a shape is shared by all calls of that shape, and
  /// the operation may belong to another call of the shape.
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
      (plans, lastPlan) = ([:], nil)
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
      // Compiling a statement must not be interrupted: it would look like a failure.
      clock.stop()
      let plan = try plan(request, catalog)
      clock.restart()
      do {
        try form.withIdentifiers(of: request) { identifiers in
          try plan.answer(request, identifiers, reply, byteLimit: Self.getBytes, &writer)
        }
      } catch let error as DepotError where error.code == .frameTooLarge {
        longReads.remember(request.entity, evenAlone: true, isTooLarge: true)
        return false
      }
      return true
    case .fetch, .aggregate:
      return try stream(streams.read(operation, form, in: catalog), reply, &writer)
    case .count:
      let query = try questions.read(operation, form, in: catalog)
      return try attempt(query.plan) {
        reply.count(try connection.integer(query.prepared(on: connection)), to: &writer)
        return true
      }
    case .exists:
      let query = try questions.read(operation, form, in: catalog)
      return try attempt(query.plan) {
        reply.exists(try connection.integer(query.prepared(on: connection)) != 0, to: &writer)
        return true
      }
    case .explain(let request):
      // A read to be executed to its end may take any time, so it runs elsewhere.
      if request.runs { return false }
      clock.stop()
      let size = try request.read.statement(in: catalog).sql.utf8.count
      guard size <= Self.sqlBytes else { return false }
      try Explanation(request, catalog, on: connection).answer(reply, to: &writer)
      return true
    // A value outside its row, or a long history, needs its own thread.
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
    guard isPlain else { return try GetPlan(request, in: catalog, connection) }
    if let lastPlan, lastPlan.entity == request.entity { return lastPlan }
    let plan = try plans[request.entity] ?? GetPlan(request, in: catalog, connection)
    plans[request.entity] = plan
    lastPlan = plan
    return plan
  }

  private func stream(
    _ read: PlannedRead<StreamPlan>,
    _ reply: ReplyWriter,
    _ writer: inout JSONWriter
  ) throws -> Bool {
    // The execution may have begun a snapshot.
    defer { if !keepsSnapshot { endBatch() } }
    return try attempt(read.plan.statement) {
      let statement = try read.prepared(on: connection)
      let run = try FetchRun(read.plan, reply, statement, on: connection)
      defer { run.close() }
      guard try run.writeFrame(to: &writer, byteLimit: Self.answerBytes) else { return false }
      run.writeEnd(to: &writer)
      return true
    }
  }

  /// Tries a query that may turn out to be long, unless it recently did.
  @inline(__always)
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
