internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite
internal import Synchronization

/// A connection with one read, or with a pin's reads, which alternate after each frame.
actor ReadWorker {
  /// The size of rows in bytes that fills a frame.
  private static let frameBytes = 64 << 10

  nonisolated let lane: ThreadCrew.Lane
  private let path: String
  private let isFrozen: Bool
  /// The pool, which owns its workers.
  private nonisolated weak let pool: ReaderPool?
  private nonisolated let scheduler: ReadScheduler
  /// The reads that can continue; the first of them is queued for a time slice.
  private nonisolated let ready = Mutex<[LongRead]>([])
  private var connection: Connection?
  private var open: [ObjectIdentifier: OpenFetch] = [:]
  /// The pin whose transaction is open.
  var pin: SharedSnapshot?

  nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }

  private struct OpenFetch {
    let read: LongRead
    var run: any StreamRun
  }

  init(of pool: ReaderPool) {
    path = pool.path
    isFrozen = pool.isFrozen
    lane = ThreadCrew.Lane(of: pool.crew)
    scheduler = pool.scheduler
    self.pool = pool
  }

  /// Continues a read in its next time slice.
  nonisolated func run(_ read: LongRead) {
    let isFirst = ready.withLock { ready in
      ready.append(read)
      return ready.count == 1
    }
    if isFirst { enter(read) }
  }

  private nonisolated func enter(_ read: LongRead) {
    scheduler.enter(read.timeSlice) {
      self.lane.run {
        self.assumeIsolated { $0.runTimeSlice(read) }
      } orElse: {
        self.assumeIsolated { $0.refuseTimeSlice(read) }
      }
    }
  }

  /// Lets a stopped read end without a time slice.
  nonisolated func dismiss(_ read: LongRead) { scheduler.dismiss(read.timeSlice) }

  /// Closes the connection unless a read or pin uses it; the next read opens another.
  nonisolated func close(completion: @escaping @Sendable () -> Void) {
    lane.run {
      self.assumeIsolated { worker in
        if worker.open.isEmpty, worker.pin == nil { worker.connection = nil }
      }
      completion()
    }
  }

  private func runTimeSlice(_ read: LongRead) {
    read.timeSlice.begin()
    let isLong = read.timeSlice.isLong
    if isLong { Thread.giveWay() }
    let goesOn = advance(read)
    scheduler.leave(read.timeSlice)
    if read.timeSlice.isLong {
      Thread.restoreSlice()
      if goesOn, !isLong { pool?.holdsConnection(read) }
    }
    pass(read, goesOn: goesOn)
  }

  /// Ends a read for which no thread can be started.
  private func refuseTimeSlice(_ read: LongRead) {
    read.timeSlice.begin()
    if !read.isEnded { abandon(read, .noThread) }
    scheduler.leave(read.timeSlice)
    pass(read, goesOn: false)
  }

  /// Queues the next read that can continue for its time slice.
  private func pass(_ read: LongRead, goesOn: Bool) {
    let next = ready.withLock { ready in
      ready.removeFirst()
      if goesOn { ready.append(read) }
      return ready.first
    }
    if let next { enter(next) }
  }

  /// Executes the next part of a read; returns whether it can continue at once.
  private func advance(_ read: LongRead) -> Bool {
    guard !read.isEnded else { return false }
    do throws(DepotError) {
      try read.check()
      if open[ObjectIdentifier(read)] != nil { return try stream(read) }
      return try beginWithForeignCommits(read)
    } catch {
      abandon(read, error)
      return false
    }
  }

  /// The reads with open statements.
  var readsInProgress: [LongRead] { open.values.map(\.read) }

  /// Ends a read with an error.
  func abandon(_ read: LongRead, _ error: DepotError) {
    release(read)
    pool?.didEnd(read)
    read.fail(error)
  }

  /// Begins a read, and repeats that if it needs another service's commit that isn't here yet.
  private func beginWithForeignCommits(_ read: LongRead) throws(DepotError) -> Bool {
    do throws(DepotError) {
      return try begin(read)
    } catch {
      guard error.code == .historyForeign, read.pin == nil, pool?.waitForForeignCommits() == true
      else {
        throw error
      }
      release(read)
      return try begin(read)
    }
  }

  private func begin(_ read: LongRead) throws(DepotError) -> Bool {
    let connection = try takeConnection(for: read)
    let catalog: Catalog
    do {
      catalog = try Self.catalog(of: read, on: connection)
      if let run = try Self.stream(of: read, catalog, on: connection) {
        open[ObjectIdentifier(read)] = OpenFetch(read: read, run: run)
        return try stream(read)
      }
    } catch {
      giveBack(of: read)
      return try end(read, failing: error)
    }
    let frame: [UInt8]
    do {
      defer { giveBack(of: read) }
      _ = connection.takeScannedRows()
      let answers = ReadAnswers(path, connection: connection, catalog: catalog, reply: read.reply)
      frame = try answers.frame(of: read.operation, check: read.check) { try self.pause(read) }
      read.control.noteScanned(rows: connection.takeScannedRows())
    } catch {
      return try end(read, failing: error)
    }
    pool?.didEnd(read)
    read.end(frame)
    return false
  }

  /// Begins the snapshot of a read of rows, and returns its schema.
  ///
  /// The schema may have changed since the call arrived.
  private static func catalog(of read: LongRead, on connection: Connection) throws -> Catalog {
    guard read.pin == nil else { return read.catalog }
    switch read.operation {
    case .fetch, .aggregate, .count, .exists, .get, .explain, .history, .historyRow, .historyStatus,
      .readBlob, .schemaVersions:
      try connection.beginSnapshot()
      return try CatalogTables(connection: connection).catalog(orSame: read.catalog)
    default: return read.catalog
    }
  }

  /// Begins a stream; `nil` if the read has a single answer.
  private static func stream(
    of read: LongRead,
    _ catalog: Catalog,
    on connection: Connection
  ) throws -> (any StreamRun)? {
    let reply = read.reply
    switch read.operation {
    case .readBlob(let request): return try BlobRun(request, catalog, reply, on: connection)
    case .backup: return try BackupRun(reply, on: connection)
    case .watch(let request):
      return try LiveStart(request: request, read: read).stream(on: connection)
    case .history(let request):
      return try HistoryRun(request, catalog, reply, on: connection) { _ in try read.check() }
    case .fetch, .aggregate:
      return try FetchRun(StreamPlan(read.operation, in: catalog), reply, on: connection)
    default: return nil
    }
  }

  /// Writes one frame if the client accepts it; returns whether to continue later.
  private func stream(_ read: LongRead) throws(DepotError) -> Bool {
    guard var fetch = open[ObjectIdentifier(read)] else { return false }
    // The reads of a pin alternate on one connection.
    if read.pin != nil { watch(read) }
    let frame: [UInt8]
    do {
      guard try fetch.run.prepareFrame() else {
        return end(read, fetch.run.finalFrame, nextFrameCount: 0)
      }
      open[ObjectIdentifier(read)] = fetch
      switch read.takeAllowance() {
      case .granted: break
      case .parked:
        pool?.holdsConnection(read)
        return false
      case .stopped: return true
      }
      let before = fetch.run.rowCount
      let (bytes, isLast) = try fetch.run.nextFrame(byteLimit: Self.frameBytes)
      frame = bytes
      open[ObjectIdentifier(read)] = fetch
      pool?.didWrite(rows: fetch.run.rowCount - before)
      if isLast { return end(read, frame, nextFrameCount: 1) }
    } catch {
      release(read)
      return try end(read, failing: error)
    }
    read.deliver(frame)
    return true
  }

  private func end(_ read: LongRead, _ frames: [UInt8], nextFrameCount: Int) -> Bool {
    if let snapshot = open[ObjectIdentifier(read)]?.run.snapshot { read.live?.didRead(snapshot) }
    release(read)
    pool?.didEnd(read)
    read.end(frames, nextFrameCount: nextFrameCount)
    return false
  }

  /// Restarts a read that had to release its connection, if it must.
  ///
  /// - Throws: The error that ends the read.
  private func end(_ read: LongRead, failing error: any Error) throws(DepotError) -> Bool {
    let end = ReadEnd(error)
    guard case .interrupted = end else { throw end.error }
    try read.check()
    guard read.takeRestart() else { throw end.error }
    pool?.restart(read)
    return false
  }

  private func release(_ read: LongRead) {
    guard let fetch = open.removeValue(forKey: ObjectIdentifier(read)) else { return }
    _ = connection?.takeScannedRows()
    fetch.run.close()
    read.control.noteScanned(rows: connection?.takeScannedRows() ?? 0)
    giveBack(of: read)
  }

  private func takeConnection(for read: LongRead) throws(DepotError) -> Connection {
    let connection = try takeConnection()
    if let pin = read.pin {
      try pin.add(read)
      guard self.pin === pin else { throw pin.end ?? .pinExpired }
    }
    watch(read)
    return connection
  }

  func takeConnection() throws(DepotError) -> Connection {
    try connection.getOrInsert { () throws(DepotError) in
      try Connection.reader(path: path, isFrozen: isFrozen, cacheKiB: 8192)
    }
  }

  private func watch(_ read: LongRead) {
    connection?.watch(
      every: 1000,
      ProgressCheck { [scheduler, weak pool] in Self.goOn(read, scheduler, pool) }
    )
  }

  /// Lets other reads run if the time slice is over.
  ///
  /// - Returns: Whether the read must leave its thread.
  private static func goOn(
    _ read: LongRead,
    _ scheduler: ReadScheduler,
    _ pool: ReaderPool?
  ) -> Bool {
    if read.timeSlice.isOver {
      if !read.timeSlice.isLong { pool?.holdsConnection(read) }
      if !read.isInterrupted { scheduler.goOn(read.timeSlice) }
      Thread.giveWay()
    }
    return read.isInterrupted
  }

  /// Checks the time slice between the steps of a read; SQLite calls the check during them.
  private nonisolated func pause(_ read: LongRead) throws {
    if Self.goOn(read, scheduler, pool) { throw ReadEnd.interrupted }
  }

  /// Frees memory of the connection.
  nonisolated func rest() {
    lane.run { self.assumeIsolated { $0.connection?.releaseMemory() } }
  }

  private func giveBack(of read: LongRead) {
    if read.pin == nil { giveBack() } else { connection?.unwatch() }
  }

  /// Ends the transaction; the connection is kept for the next read.
  func giveBack() {
    guard let connection else { return }
    connection.unwatch()
    connection.keepsStatements = true
    // The end of a transaction may also have been interrupted.
    if connection.isInTransaction, (try? connection.run("COMMIT")) == nil { self.connection = nil }
  }
}

extension DepotError {
  /// The error if the system has no thread for a read.
  static var noThread: DepotError {
    DepotError(.busy, "There are no more threads for reads.")
      .hint("Try again, or raise the limit of the service's user (ulimit -u).")
  }
}
