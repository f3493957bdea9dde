internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// A thread that runs long reads, taking turns after each frame.
///
/// Each read has a connection of its own, so that its snapshot ages alone.
actor ReadWorker {
  /// How many bytes of rows make a frame full.
  private static let frameBytes = 64 << 10
  /// How many connections are kept open for the next reads.
  private static let idleConnections = 1

  nonisolated let thread: WorkerThread
  private let path: String
  private let isFrozen: Bool
  private let pool: ReaderPoolLink
  private var idle: [Connection] = []
  private var open: [ObjectIdentifier: OpenFetch] = [:]
  /// The connections of pins, whose transactions stay open.
  var pinned: [ObjectIdentifier: Connection] = [:]

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// A fetch with its connection.
  private struct OpenFetch {
    let read: LongRead
    var run: any StreamRun
    var connection: Connection
  }

  init(path: String, isFrozen: Bool, thread: WorkerThread, pool: ReaderPoolLink) {
    self.path = path
    self.isFrozen = isFrozen
    self.thread = thread
    self.pool = pool
  }

  /// Goes on with a read on the worker's thread.
  nonisolated func run(_ read: LongRead) {
    thread.run { self.assumeIsolated { $0.advance(read) } }
  }

  /// Closes the connections, which must have no open reads, and ends the thread.
  nonisolated func close(completion: @escaping @Sendable () -> Void) {
    thread.run {
      self.assumeIsolated { worker in
        worker.idle = []
        worker.pinned = [:]
      }
      completion()
    }
    thread.stop()
  }

  private func advance(_ read: LongRead) {
    guard !read.isEnded else { return }
    do throws(DepotError) {
      try read.check()
      if open[ObjectIdentifier(read)] != nil {
        try stream(read)
      } else {
        try begin(read)
      }
    } catch {
      abandon(read, error)
    }
  }

  /// The reads that have an open statement.
  var readsInProgress: [LongRead] { open.values.map(\.read) }

  /// Ends a read with an error.
  func abandon(_ read: LongRead, _ error: DepotError) {
    release(read)
    pool.didEnd(read)
    read.fail(error)
  }

  private func begin(_ read: LongRead) throws(DepotError) {
    let connection = try takeConnection(for: read)
    do {
      if let run = try Self.stream(of: read, on: connection) {
        open[ObjectIdentifier(read)] = OpenFetch(read: read, run: run, connection: connection)
      }
    } catch {
      giveBack(connection, of: read)
      throw Self.reason(error, read)
    }
    if open[ObjectIdentifier(read)] != nil { return try stream(read) }
    var writer = JSONWriter()
    do {
      defer { giveBack(connection, of: read) }
      try Self.answer(read, connection, to: &writer)
    } catch {
      throw Self.reason(error, read)
    }
    pool.didEnd(read)
    read.end(writer.bytes)
  }

  /// Begins what is streamed; returns `nil` if the read is answered as a whole.
  private static func stream(
    of read: LongRead,
    on connection: Connection
  ) throws -> (any StreamRun)? {
    let (catalog, reply) = (read.catalog, read.reply)
    switch read.operation {
    case .readBlob(let request): return try BlobRun(request, catalog, reply, on: connection)
    case .watch(let request):
      return try LiveStart(request: request, read: read).stream(on: connection)
    case .history(let request):
      return try HistoryRun(request, catalog, reply, on: connection) { _ in try read.check() }
    case .fetch(let request):
      return try FetchRun(StreamPlan(request, in: catalog), reply, on: connection)
    case .aggregate(let request):
      return try FetchRun(StreamPlan(request, in: catalog), reply, on: connection)
    default: return nil
    }
  }

  /// Appends the whole answer to what isn't a stream.
  private static func answer(
    _ read: LongRead,
    _ connection: Connection,
    to writer: inout JSONWriter
  ) throws {
    let (catalog, reply) = (read.catalog, read.reply)
    switch read.operation {
    case .get(let request):
      try GetPlan(request, in: catalog, connection).answer(request, reply, &writer)
    case .explain(let request):
      try Explanation(request, catalog, on: connection).answer(reply, to: &writer)
    case .count(let request):
      let query = try ReadStatement(count: request, in: catalog)
      reply.count(try query.integer(on: connection), to: &writer)
    case .exists(let request):
      let query = try ReadStatement(exists: request, in: catalog)
      reply.exists(try query.integer(on: connection) != 0, to: &writer)
    case .historyRow, .historyStatus:
      let answers = HistoryAnswers(connection: connection, catalog: catalog, reply: reply) { _ in
        try read.check()
      }
      try answers.answer(read.operation, to: &writer)
    default:
      throw DepotError(.bug, "\(read.operation.name) isn't a read.")
    }
  }

  /// Produces one frame if the allowance has room, and comes back for the next one after others.
  private func stream(_ read: LongRead) throws(DepotError) {
    guard var fetch = open[ObjectIdentifier(read)] else { return }
    // The reads of a pin take turns on one connection.
    if read.pin != nil { watch(fetch.connection, read) }
    var writer = JSONWriter(capacity: Self.frameBytes + 4096)
    do {
      guard try fetch.run.prepareFrame() else {
        fetch.run.writeEnd(to: &writer)
        return end(read, writer.bytes, nextFrameCount: 0)
      }
      open[ObjectIdentifier(read)] = fetch
      switch read.takeAllowance() {
      case .granted: break
      case .parked: return
      case .stopped: return run(read)
      }
      let before = fetch.run.rowCount
      let isLast = try fetch.run.writeFrame(to: &writer, byteLimit: Self.frameBytes)
      open[ObjectIdentifier(read)] = fetch
      pool.didWrite(rows: fetch.run.rowCount - before)
      if isLast {
        fetch.run.writeEnd(to: &writer)
        return end(read, writer.bytes, nextFrameCount: 1)
      }
    } catch {
      throw Self.reason(error, read)
    }
    read.deliver(writer.bytes, 1, false)
    run(read)
  }

  private func end(_ read: LongRead, _ frames: [UInt8], nextFrameCount: Int) {
    if let snapshot = open[ObjectIdentifier(read)]?.run.snapshot { read.live?.didRead(snapshot) }
    release(read)
    pool.didEnd(read)
    read.end(frames, nextFrameCount: nextFrameCount)
  }

  private func release(_ read: LongRead) {
    guard let fetch = open.removeValue(forKey: ObjectIdentifier(read)) else { return }
    fetch.run.close()
    giveBack(fetch.connection, of: read)
  }

  private func takeConnection(for read: LongRead) throws(DepotError) -> Connection {
    let connection: Connection
    if let pin = read.pin {
      connection = try self.connection(of: pin, for: read)
    } else {
      connection = try takeConnection()
    }
    watch(connection, read)
    return connection
  }

  /// Returns a connection that nobody uses.
  func takeConnection() throws(DepotError) -> Connection {
    // `??` would lose the type of the error.
    if let last = idle.popLast() { return last }
    return try .reader(path: path, isFrozen: isFrozen, cacheKiB: 8192)
  }

  private func watch(_ connection: Connection, _ read: LongRead) {
    connection.watch(
      every: 1000,
      ProgressCheck { (try? read.check()) == nil }
    )
  }

  /// Gives back the memory of connections that no read uses.
  nonisolated func rest() {
    thread.run {
      self.assumeIsolated { worker in
        for connection in worker.idle { connection.releaseMemory() }
      }
    }
  }

  private func giveBack(_ connection: Connection, of read: LongRead) {
    if read.pin == nil { giveBack(connection) } else { connection.unwatch() }
  }

  /// Ends the transaction of a connection, and keeps it for the next read.
  func giveBack(_ connection: Connection) {
    guard idle.count < Self.idleConnections else { return }
    connection.unwatch()
    connection.keepsStatements = true
    // The end of a transaction may have been interrupted like anything else.
    if connection.isInTransaction {
      guard (try? connection.run("COMMIT")) != nil else { return }
    }
    idle.append(connection)
  }

  private static func reason(_ error: any Error, _ read: LongRead) -> DepotError {
    let end = ReadEnd(error)
    guard case .interrupted = end else { return end.error }
    do throws(DepotError) {
      try read.check()
      return end.error
    } catch {
      return error
    }
  }
}
