internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// The rounds of the event loop: reading messages, handling calls, and sending replies.
extension Server {
  /// Runs one round of the loop: reads all messages, submits the writes once, then sends.
  func runIteration(_ events: [EventLoop.Event]) -> Next {
    now = Monotonic.now()
    mayExplain = true
    let messages = inbox.takeAll()
    // Another thread's read may have shown a commit that this thread doesn't know of yet, and later
    // reads must see it too.
    if !messages.isEmpty { for host in stores.hosts { host.served?.endSnapshot() } }
    for message in messages {
      if let status = receive(message) { return .end(status: status) }
    }
    for event in events { handle(event) }
    endOverdue()
    serveReady()
    withdrawStopped()
    stores.submitWrites()
    flushSessions()
    for host in stores.hosts { host.served?.rest() }
    if now >= schedule.tick {
      tick()
      if let loss = checkFiles(), let status = failStop(loss) { return .end(status: status) }
    }
    if now >= schedule.watchdog { assureWatchdog() }
    if let status = advance() { return .end(status: status) }
    // Messages left without a wake-up must be read before the loop sleeps.
    let isBusy = inbox.hasMessages || !sessions.unsent.isEmpty
    return .wait(milliseconds: isBusy ? 0 : timeout())
  }

  private func handle(_ event: EventLoop.Event) {
    switch event.token {
    case Self.listenerToken: acceptAll()
    case Self.signalToken: receiveSignals()
    case Self.filesToken: takeNotices()
    default:
      guard let session = sessions[event.token] else { return }
      if event.isWritable { scheduleFlush(session) }
      // A queued session is read in its own order.
      if event.isReadable, !session.lists.contains(.ready) {
        if session.input == .awaited { session.input = .readable }
        enqueue(session)
      }
      // Nobody reads the answers any more.
      if event.isHangUp, session.input == .ended || !event.isReadable { end(session) }
    }
  }

  private func receive(_ message: Inbox.Message) -> Int32? {
    switch message {
    case .committed(let number, let outcomes):
      renewSnapshot(stores.host(number))
      for outcome in outcomes { finish(outcome) }
    case .answered(let number, let token, let isSuccess, let time):
      renewSnapshot(stores.host(number))
      let outcome = WriteOutcome(token: token, frame: [], isSuccess: isSuccess)
      finish(outcome, at: time)
    case .rest(let connection):
      if let session = sessions[connection] { scheduleFlush(session) }
    case .delivered(let caller):
      if let session = session(of: caller) { scheduleFlush(session) }
    case .rows(let caller, let frames, let count, let isLast):
      guard let session = session(of: caller) else { break }
      session.calls[caller.call]?.stream?.didReceive(count, bytes: frames.count)
      session.output.append(frames)
      session.streamedBytes += frames.count
      if session.calls[caller.call]?.stream?.isLimited == true {
        session.queuedRowBytes += frames.count
      }
      scheduleFlush(session)
      if let watched = session.calls[caller.call]?.stream?.watched {
        session.socket.hold()
        watched.didTake()
      }
      if isLast { finish(caller.call, of: session, isError: false) }
    case .readersClosed(let number):
      stores.host(number)?.didCloseReaders()
    case .storeClosed(let number):
      stores.host(number)?.didCloseStore()
    case .pinned(let pinned, let result):
      didPin(pinned, result)
    case .barrier(let caller, let result): passBarrier(caller, result)
    case .opened(let ticket, let outcome):
      opener.didOpen(ticket, outcome)
    case .client(let descriptor):
      if isServing { adopt(descriptor) }
    case .end: drain("the program asked")
    case .fatal(let error): return failStop(error)
    }
    return nil
  }

  /// Makes new commits visible to the next read.
  private func renewSnapshot(_ host: StoreHost?) {
    guard let host else { return }
    if host.renewSnapshot() { host.container?.refresh() }
    lookForRoom(host)
    lookForCluster(host)
  }

  /// Logs once when the disk of a store becomes full, and once when it has room again.
  func lookForRoom(_ host: StoreHost) {
    guard let change = host.lookForRoom(now) else { return }
    let store = [("store", ServerLog.Value.text(host.configuration.path))]
    switch change {
    case .full: log.write(.error, "the disk is full; writes are refused", store)
    case .room: log.write(.notice, "the disk has room again", store)
    }
  }

  /// Logs once when a store's cluster refuses writes, and once when it accepts them again.
  private func lookForCluster(_ host: StoreHost) {
    guard let cluster = host.configuration.cluster else { return }
    let store = [("store", ServerLog.Value.text(cluster.text))]
    switch host.lookForCluster() {
    case false?: log.write(.error, "the cluster takes no writes", store)
    case true?: log.write(.notice, "the cluster takes writes again", store)
    case nil: break
    }
  }

  /// Logs the durability of a store in a cluster.
  func logCluster(of host: StoreHost) {
    guard let cluster = host.configuration.cluster, let state = host.store?.statistics.cluster
    else {
      return
    }
    log.write(
      .notice,
      "store in a cluster",
      [
        ("store", .text(cluster.text)),
        ("safety", .text(state.safety.summary)),
        ("service", .number(state.service)),
      ]
    )
  }

  private func flushSessions() {
    let count = sessions.unsent.count
    // Sessions that are scheduled meanwhile are behind these, and are flushed in the next round.
    for index in 0..<count {
      let session = sessions.unsent[index]
      session.lists.remove(.unsent)
      if session.lists.contains(.all) { flush(session) }
    }
    sessions.didFlush(count)
  }

  func scheduleFlush(_ session: Session) { sessions.scheduleFlush(session) }

  /// Sends as much as a client takes, and watches for when it can take more.
  private func flush(_ session: Session) {
    let before = session.output.count
    let isEmpty: Bool
    do throws(SystemError) {
      isEmpty = try session.socket.flush(
        &session.output,
        to: session.descriptor,
        isEnding: session.input == .ended || session.state.isClosing
      )
    } catch {
      return end(session)
    }
    if session.output.count < before { session.lastProgress = now }
    if isEmpty { session.queuedRowBytes = 0 }
    if isEmpty && session.input == .ended && (session.state.isClosing || isDone(session)) {
      return end(session)
    }
    if session.output.count < Limits.outboundSoftBytes { session.streamedBytes = 0 }
    if !session.state.isClosing,
      session.output.count > Limits.outboundHardBytes + session.streamedBytes
    {
      cutOff(session, "\(session.output.count) bytes wait for the client.")
    }
    if isEmpty && session.state.isClosing && !session.state.isFinished {
      // Closing now would reset the connection if the client still sends, and the reset could
      // overtake the error that explains it.
      session.state.finish()
      session.descriptor.endSending()
    }
    if session.output.count < Limits.outboundSoftBytes { topUp(session) }
    watch(session)
  }

  /// Whether a session has no running or waiting call.
  private func isDone(_ session: Session) -> Bool {
    session.calls.isEmpty && !session.lists.contains(.ready) && session.held == nil
  }

  /// Watches a session's socket; reading pauses while too many answers or requests wait.
  private func watch(_ session: Session) {
    let reads =
      session.input != .ended
      && (session.state.isClosing
        || session.output.count < 4 * Limits.outboundSoftBytes
          && !session.lists.contains(.ready) && session.held == nil)
    let interest = EventLoop.Interest(reads: reads, writes: session.output.count > 0)
    guard interest != session.interest else { return }
    session.note(interest, now)
    do throws(SystemError) {
      try loop.change(session.descriptor, token: session.number, to: interest)
    } catch {
      end(session)
    }
  }

  /// Lets the streams of a session produce frames for its client, the least advanced streams first.
  ///
  /// If the client `isWaiting`, it has taken all output, and earlier grants produce nothing for
  /// now, so one more stream may continue.
  func topUp(_ session: Session, isWaiting: Bool = false) {
    guard session.calls.values.contains(where: { $0.stream != nil }) else { return }
    var room = max(session.streamRoom, isWaiting ? 1 : 0)
    if session.calls.count == 1 {
      for id in session.calls.keys { topUp(session, id, &room) }
    } else {
      for (id, _) in session.calls.sorted(by: { $0.value.delivered < $1.value.delivered }) {
        topUp(session, id, &room)
      }
    }
  }

  /// Allows a stream the frames that its client can receive, within the space left for all streams.
  private func topUp(_ session: Session, _ id: Int64, _ room: inout Int) {
    guard var stream = session.calls[id]?.stream, stream.isWatch || room > 0,
      stream.hasBegun || stream.host.readers != nil
    else { return }
    let before = stream.grantedBytes
    let grant = stream.takeGrant()
    guard grant > 0 else { return }
    room -= stream.grantedBytes - before
    stream.grant(grant)
    if let read = stream.read, !stream.hasBegun { stream.host.readers?.start(read) }
    stream.hasBegun = true
    session.calls[id]?.stream = stream
  }

  /// Ends a call with the outcome of its write.
  func finish(_ outcome: WriteOutcome, at time: UInt64? = nil) {
    switch pending.remove(outcome.token) {
    case nil: break
    case .definition(let definition, let part): definition.finish(part, outcome.frame)
    case .server(let completion): completion(outcome.frame)
    case .call(let caller, let defined):
      defined?.interruption = nil
      guard let session = sessions[caller.connection], !session.state.isClosing else { return }
      session.output.append(outcome.frame)
      session.direct = nil
      session.queue.end(caller.call)
      scheduleFlush(session)
      finish(caller.call, of: session, isError: !outcome.isSuccess, at: time)
      if session.queue.hasWaiting { enqueue(session) }
    }
  }

  /// Notes that a call got its terminal frame, at the given time or now.
  func finish(_ id: Int64, of session: Session, isError: Bool, at time: UInt64? = nil) {
    session.state.finish(id)
    guard let call = session.calls.removeValue(forKey: id) else { return }
    let host = call.stream?.host ?? call.writes.first?.host
    note(
      call.call,
      call.control,
      session,
      isError: isError,
      from: call.startedAt,
      until: time ?? Monotonic.now(),
      host: host,
      isWatch: call.stream?.isWatch == true
    )
  }

  /// Counts a call, and logs it if it was slow: its query, its plan, and possible improvements.
  func note(
    _ call: Call,
    _ control: CallControl,
    _ session: Session,
    isError: Bool,
    from start: UInt64,
    until end: UInt64 = Monotonic.now(),
    host: StoreHost? = nil,
    isWatch: Bool = false
  ) {
    let nanoseconds = end - start
    statistics.note(call.pattern.ordinal, nanoseconds: nanoseconds, isError: isError)
    guard nanoseconds >= slowNanoseconds, !isWatch else { return }
    let slow = ServerStatistics.SlowCall(
      operation: call.pattern.name,
      entity: call.pattern.entity,
      milliseconds: nanoseconds / 1_000_000,
      connection: session.number,
      call: call.id,
      process: session.peer.process,
      report: explain(call, host),
      scannedRows: control.scannedRows
    )
    statistics.note(slow)
    log.write(.info, "slow call", slow.fields)
  }

  /// Returns the plan of a slow call; for one call in a round of the loop, since it takes time.
  private func explain(_ call: Call, _ host: StoreHost?) -> SlowReadReport? {
    guard mayExplain, let host,
      let report = host.reader?.report(on: call.operation, catalog: host.catalog)
    else { return nil }
    mayExplain = false
    return report
  }
}
