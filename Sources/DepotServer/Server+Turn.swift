internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

extension Server {
  /// One turn of the loop: take in all that came, hand the writes over once, then send.
  func turn(_ events: [EventLoop.Event]) -> Next {
    let now = Monotonic.now()
    let messages = inbox.takeAll()
    // What another thread read may show a commit that this one hasn't heard of, and no read that
    // comes after it may see less.
    if !messages.isEmpty { for host in hosts { host.endSnapshot() } }
    for message in messages {
      if let status = receive(message, now) { return .end(status: status) }
    }
    for event in events { handle(event, now) }
    processUnfinished(now)
    submitWrites()
    flushTouched(now)
    for host in hosts { host.rest() }
    if now >= nextTick { tick(now) }
    if let status = advance(now) { return .end(status: status) }
    // What was left without waking this thread may be what something waits for now.
    return .wait(milliseconds: inbox.hasMessages ? 0 : timeout())
  }

  private func handle(_ event: EventLoop.Event, _ now: UInt64) {
    switch event.token {
    case Self.listenerToken: acceptAll(now)
    case Self.signalToken: receiveSignals(now)
    default:
      guard let session = sessions[event.token] else { return }
      if event.isWritable { touch(session) }
      if event.isReadable { receive(session, now) }
      // Nobody is left to read the answers.
      if event.isHangUp, session.isHalfClosed || !event.isReadable { end(session) }
    }
  }

  private func receive(_ message: Inbox.Message, _ now: UInt64) -> Int32? {
    switch message {
    case .committed(let number, let outcomes):
      renewSnapshot(host(number))
      for outcome in outcomes { finish(outcome, now) }
    case .answered(let number, let token, let isSuccess, let time):
      renewSnapshot(host(number))
      let outcome = WriteOutcome(token: token, frame: [], isSuccess: isSuccess)
      finish(outcome, now, at: time)
    case .rest(let connection, let bytes):
      guard let session = sessions[connection] else { break }
      session.output.append(bytes)
      touch(session)
    case .rows(let connection, let call, let frames, let count, let isLast):
      deliver(connection, call, frames, count, isLast, now)
    case .readersClosed(let number):
      host(number)?.didCloseReaders()
    case .storeClosed(let number):
      host(number)?.didCloseStore()
    case .pinned(let pinned, let result):
      didPin(pinned, result, now)
    case .barrier(let connection, let call, let result):
      passBarrier(connection, call, result, now)
    case .opened(let ticket, let outcome):
      opener.didOpen(ticket, outcome)
    case .client(let descriptor):
      if phase == .serving { adopt(descriptor, now) }
    case .end: drain(now, "the program asked")
    case .fatal(let error):
      // Fail stop: whatever is in memory may not be what is on disk, so nothing more is answered.
      log.write(.error, "the store failed; ending", [("error", "\(error)")])
      guard isInProgram else { return 70 }
      giveUp()
    }
    return nil
  }

  private func processUnfinished(_ now: UInt64) {
    guard !unfinished.isEmpty else { return }
    let numbers = unfinished
    unfinished.removeAll(keepingCapacity: true)
    for number in numbers {
      if let session = sessions[number] { process(session, now) }
    }
  }

  private func host(_ number: Int) -> StoreHost? { hosts.first { $0.number == number } }

  /// Lets the next read see what was committed.
  private func renewSnapshot(_ host: StoreHost?) {
    if host?.renewSnapshot() == true { host?.container?.refresh() }
  }

  private func submitWrites() {
    guard !writing.isEmpty else { return }
    for host in writing { host.submit() }
    writing.removeAll(keepingCapacity: true)
  }

  /// Keeps a write for the end of the turn.
  func hand(_ request: WriteRequest, to host: StoreHost) {
    if host.writes.isEmpty { writing.append(host) }
    host.writes.append(request)
  }

  private func flushTouched(_ now: UInt64) {
    guard !touched.isEmpty else { return }
    for session in touched {
      session.isTouched = false
      if sessions[session.number] != nil { flush(session, now) }
    }
    touched.removeAll(keepingCapacity: true)
  }

  /// Has a session looked at before the loop sleeps.
  func touch(_ session: Session) {
    guard !session.isTouched else { return }
    session.isTouched = true
    touched.append(session)
  }

  /// Sends what a client takes, and watches for its taking more.
  private func flush(_ session: Session, _ now: UInt64) {
    let before = session.output.count
    if before > 0 { session.revokeDirectAnswer() }
    let isEmpty: Bool
    do throws(SystemError) {
      isEmpty = try session.output.flush(to: session.descriptor)
    } catch {
      return end(session)
    }
    if session.output.count < before { session.lastProgress = now }
    if isEmpty && session.isHalfClosed && (session.isClosing || isDone(session)) {
      return end(session)
    }
    if isEmpty && session.isClosing && !session.isFinished {
      // Closing now would reset the connection if the client still sends, and the reset could
      // overtake the error that tells it why.
      session.isFinished = true
      session.descriptor.endSending()
    }
    if session.output.count > Limits.outboundHardBytes {
      log.write(.warning, "client cut off", [("connection", "\(session.number)")])
      return end(session)
    }
    if session.output.count < Limits.outboundSoftBytes { topUp(session) }
    watch(session)
  }

  /// Whether a session has no call that runs or could begin.
  private func isDone(_ session: Session) -> Bool {
    session.calls.isEmpty && !unfinished.contains(session.number)
  }

  /// Watches a session for what it needs: reading stops while too many answers wait.
  private func watch(_ session: Session) {
    let reads =
      !session.isHalfClosed
      && (session.isClosing || session.output.count < 4 * Limits.outboundSoftBytes)
    let writes = session.output.count > 0
    guard reads != session.watchesReads || writes != session.watchesWrites else { return }
    session.watchesReads = reads
    session.watchesWrites = writes
    do throws(SystemError) {
      try loop.change(
        session.descriptor,
        token: session.number,
        reads: reads,
        writes: writes
      )
    } catch {
      end(session)
    }
  }

  /// Lets the streams of a session produce what its client can take.
  func topUp(_ session: Session) {
    for (id, call) in session.calls {
      guard var stream = call.stream else { continue }
      let grant = stream.takeGrant()
      guard grant > 0 else { continue }
      session.calls[id]?.stream = stream
      stream.grant(grant)
    }
  }

  private func deliver(
    _ connection: Int64,
    _ id: Int64,
    _ frames: [UInt8],
    _ count: Int,
    _ isLast: Bool,
    _ now: UInt64
  ) {
    guard let session = sessions[connection], session.calls[id] != nil, !session.isClosing else {
      return
    }
    session.calls[id]?.stream?.delivered += count
    session.output.append(frames)
    touch(session)
    if isLast { finish(id, of: session, isError: false, now) }
  }

  private func finish(_ outcome: WriteOutcome, _ now: UInt64, at time: UInt64? = nil) {
    continuations.removeValue(forKey: outcome.token)?(outcome.frame)
    if let (definition, part) = definitions.removeValue(forKey: outcome.token) {
      return definition.finish(part, outcome.frame)
    }
    guard let (connection, id) = writers.removeValue(forKey: outcome.token),
      let session = sessions[connection], !session.isClosing
    else { return }
    session.output.append(outcome.frame)
    session.direct = nil
    session.writesInFlight -= 1
    if session.exclusive == id { session.exclusive = nil }
    if session.chunked == id { session.chunked = nil }
    touch(session)
    finish(id, of: session, isError: !outcome.isSuccess, now, at: time)
    runDeferred(session, now)
  }

  /// Notes that a call got its terminal frame: at a time, or now.
  func finish(
    _ id: Int64,
    of session: Session,
    isError: Bool,
    _ now: UInt64,
    at time: UInt64? = nil
  ) {
    session.state.finish(id)
    guard let call = session.calls.removeValue(forKey: id) else { return }
    note(
      call.operation,
      call.entity,
      since: call.startedAt,
      until: time ?? Monotonic.now(),
      id,
      session,
      isError: isError,
      isWatch: call.stream?.isWatch ?? false,
      read: call.stream.flatMap { stream in stream.read.map { ($0.operation, stream.host) } }
    )
  }

  /// Counts a call, and logs it if it was slow, a read with what would have made it faster.
  func note(
    _ operation: Int,
    _ entity: String?,
    since start: UInt64,
    until end: UInt64 = Monotonic.now(),
    _ id: Int64,
    _ session: Session,
    isError: Bool,
    isWatch: Bool = false,
    read: (operation: Operation, host: StoreHost)? = nil
  ) {
    let nanoseconds = end - start
    statistics.note(operation, nanoseconds: nanoseconds, isError: isError)
    guard nanoseconds >= slowNanoseconds, !isWatch else { return }
    let call = ServerStatistics.SlowCall(
      operation: Operation.names[operation],
      entity: entity,
      milliseconds: nanoseconds / 1_000_000,
      connection: session.number,
      call: id
    )
    statistics.note(call)
    var fields = [
      ("op", call.operation), ("entity", entity ?? "-"), ("ms", "\(call.milliseconds)"),
      ("connection", "\(session.number)"), ("id", "\(id)"), ("pid", "\(session.peer.process)"),
    ]
    if let read,
      let report = read.host.reader?.report(on: read.operation, catalog: read.host.catalog)
    {
      fields.append(("scan", report.isFullScan ? "full" : "none"))
      if let advice = report.advice { fields.append(("advice", advice)) }
    }
    log.write(.info, "slow call", fields)
  }
}
