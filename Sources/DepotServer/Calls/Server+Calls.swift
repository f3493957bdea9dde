internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// The start and the end of calls: each is answered here, by a store, or by a reader.
extension Server {
  /// Begins a call: answers it here, or hands it to the store or the readers.
  func start(_ call: consuming Call, _ session: Session) {
    if let error = refusal(of: call, session) {
      session.fail(call.id, error)
      session.state.finish(call.id)
      return statistics.note(call.pattern.ordinal, nanoseconds: 0, isError: true)
    }
    do throws(DepotError) {
      try join(&call, session)
    } catch {
      return fail(call, session, error)
    }
    let effect = call.pattern.declaration.effect
    guard session.queue.mayStart(effect) else {
      session.revokeDirectAnswer()
      session.queue.wait(call)
      session.calls[call.id] = running(call)
      return
    }
    start(call, effect, session)
  }

  private func start(_ call: Call, _ effect: Operation.Effect, _ session: Session) {
    switch effect {
    case .write: write(call, session)
    case .exclusive: startExclusive(call, session)
    case .read: read(call, session)
    case .watch: watch(call, session)
    case .control: control(call, session)
    }
  }

  /// Begins the next waiting call of the connection; returns whether there was one that may begin.
  func startWaiting(_ session: Session) -> Bool {
    guard let call = session.queue.next() else { return false }
    scheduleFlush(session)
    start(call, call.pattern.declaration.effect, session)
    return true
  }

  /// Answers a call from the service's own state.
  private func control(_ call: Call, _ session: Session) {
    switch call.pattern {
    case .stage(let request): stage(request, call, session)
    case .describe: answer(call, session) { $0.raw(ProtocolDocument.line) }
    case .stats:
      let report = report()
      answer(call, session) { $0.write(report) }
    case .listContainers:
      let list = containerList()
      answer(call, session) { $0.write(list) }
    case .shutdown:
      answer(call, session) { $0.raw("{}") }
      if case .handedOver = phase {
        finishTakeover(session)
      } else {
        record(isStopped: true)
        drain("a client asked")
      }
    case .closeConnection(let number):
      do throws(DepotError) {
        try close(connection: number, for: session)
        answer(call, session) { $0.raw("{}") }
      } catch {
        fail(call, session, error)
      }
    case .takeover(let store):
      do throws(DepotError) {
        try beginTakeover(store, call, session)
      } catch {
        fail(call, session, error)
      }
    default: answer(call, session) { $0.raw("{}") }
    }
  }

  /// Closes the connection of another client.
  ///
  /// - Throws: ``DepotError`` `notfound.connection` if there is none, `request.usage` if it is the
  ///   caller's own.
  private func close(connection number: Int64, for session: Session) throws(DepotError) {
    guard number != session.number else {
      throw DepotError(.usage, "A connection can't close itself in this way.")
        .hint("Close the socket.").at("/args/connection")
    }
    guard let other = sessions[number], !other.state.isClosing else {
      throw DepotError(.connectionNotFound, "There is no connection \(number).")
        .hint("The open ones are listed by: depot clients").at("/args/connection")
    }
    var error = DepotError(.ended, "The owner of the service ended this connection.")
    error.effect = .unknown
    close(other, error)
  }

  private func refusal(of call: Call, _ session: Session) -> DepotError? {
    let declaration = call.pattern.declaration
    guard declaration.access.isWithin(session.hello.access) else {
      return DepotError(
        .operation,
        "The connection is for \(session.hello.access.deed) only, and \(declaration.name) does more."
      ).hint("Its hello asked for the access \"\(session.hello.access.rawValue)\".")
    }
    switch declaration.privilege {
    case .read: return nil
    case .write:
      guard session.userRole != .reader else {
        return session.mayOnlyRead
      }
    case .owner:
      let endsService =
        switch call.pattern {
        case .shutdown, .takeover: true
        default: false
        }
      guard !isInProgram || !endsService else {
        return DepotError(.operation, "The service is part of the program \(Process.identifier).")
          .hint("It ends with that program.")
      }
      guard session.userRole == .owner else {
        let deed =
          switch call.operation {
          case .shutdown, .takeover: "end it"
          case .closeConnection: "end a connection"
          default: "ask for \"\(call.operation.name)\""
          }
        return DepotError(.operation, "Only the owner of the service may \(deed).")
      }
    }
    let takesBackup =
      switch call.pattern {
      case .commitMigration(let takesBackup): takesBackup
      case .defineSchema(_, _, let options): options.takesBackup
      default: true
      }
    guard takesBackup || session.role == .owner else {
      return DepotError(.operation, "Only the owner of the service may migrate without a backup.")
    }
    return nil
  }

  func answer(_ call: Call, _ session: Session, _ body: (inout JSONWriter) -> Void) {
    session.reply(to: call.id).ok(to: &session.output.writer, body)
    session.state.finish(call.id)
    note(call, .unstoppable, session, isError: false, from: now)
  }

  private func answerSchema(_ container: Container, _ call: Call, _ session: Session) {
    session.calls[call.id] = nil
    answer(call, session) { $0.raw(container.schemaAnswer) }
  }

  private func control(of call: Call) -> CallControl {
    guard let milliseconds = call.deadlineMilliseconds else { return CallControl() }
    let deadline = now + UInt64(milliseconds) * 1_000_000
    schedule.deadline = min(schedule.deadline, deadline)
    return CallControl(deadline: deadline)
  }

  /// Ends a call that was cancelled or is past its deadline.
  ///
  /// A call that waits for others ends in this round of the loop, a running one when it next checks
  /// its control.
  func endIfStopped(_ id: Int64, _ session: Session) {
    guard let call = session.calls[id], !call.isStopped else { return }
    do throws(DepotError) {
      try call.control.check()
    } catch {
      session.calls[id]?.isStopped = true
      for (host, token) in call.writes { host.stopped[token] = error }
      call.stream?.wake()
      if let pin = call.pin { session.pins.removeValue(forKey: pin)?.end(error) }
      // The late result of a pin or a barrier is dropped.
      if session.queue.remove(id) || call.pin != nil || call.isBarrier
        || call.stream?.hasBegun == false
      {
        end(id, of: session, .failure(error))
      }
    }
  }

  /// Withdraws the writes of stopped calls from the stores' queues, all of a round at once.
  func withdrawStopped() {
    for host in stores.hosts where !host.stopped.isEmpty {
      for outcome in host.withdrawStopped() { finish(outcome) }
    }
  }

  /// The most time spent on ending calls in one round of the loop.
  private static let overdueNanoseconds: UInt64 = 5_000_000

  /// Ends calls whose deadline has passed, for a limited time, and notes when to continue.
  func endOverdue() {
    guard now >= schedule.deadline else { return }
    schedule.deadline = .max
    let end = Monotonic.now() + Self.overdueNanoseconds
    for session in sessions.values {
      for (id, call) in session.calls where call.control.deadline != .max && !call.isStopped {
        if call.control.deadline <= now, Monotonic.now() < end {
          endIfStopped(id, session)
        } else {
          schedule.deadline = min(schedule.deadline, call.control.deadline)
        }
      }
    }
    // Deadlines close to each other are checked together.
    if schedule.deadline != .max { schedule.deadline = max(schedule.deadline, now + 5_000_000) }
  }

  func running(_ call: Call) -> RunningCall {
    RunningCall(call, control: control(of: call), startedAt: now)
  }

  private func write(_ call: Call, _ session: Session) {
    var running = session.calls[call.id] ?? running(call)
    let before = session.lastWrite
    session.lastWrite = (call.id, running.control)
    do throws(DepotError) {
      if let id = call.predecessor, before?.id != Int64(id) {
        throw DepotError(.usage, "Call \(id) isn't the connection's previous write.")
          .at("/after")
      }
      let container = try container(call.container, session)
      if container.isView {
        throw DepotError(.readOnly, "The store as it was before the migration can't be changed.")
          .hint("Write to \(container.name.dropLast(4))\(MigrationRequest.newSuffix).")
      }
      let operation = call.operation
      let host = try container.host(of: operation)
      try requireWritable(host)
      session.queue.beginWrite(call.id, isChunked: operation.chunk != nil)
      if case .writeBlob(let request) = operation, request.upload != nil {
        session.uploads.insert(host.number)
      }
      let request = request(call, session, running.control)
      if call.predecessor != nil { request.predecessor = before?.control }
      if case .compact = operation { request.isBarrier = true }
      running.writes = [(host, request.token)]
      session.calls[call.id] = running
      allowDirectAnswer(to: request, session, of: host)
      stores.hand(request, to: host)
    } catch {
      fail(call, session, error)
    }
  }

  /// Allows the store to answer a write directly if nothing else in its session waits for it.
  private func allowDirectAnswer(to request: WriteRequest, _ session: Session, of host: StoreHost) {
    guard isServing, session.calls.count == 1, session.queue.hasOneWriteOnly,
      session.output.count == 0, session.input != .ended, !session.state.isClosing
    else { return }
    let direct = DirectAnswer(session, store: host.number, inbox)
    session.direct = direct
    request.answer = direct.send
  }

  /// - Throws: ``DepotError`` if the store accepts no writes, temporarily or ever.
  func requireWritable(_ host: StoreHost) throws(DepotError) {
    guard host.reader != nil else { throw host.refuse() }
    guard !host.isReadOnly else {
      let error = DepotError(.readOnly, "The store \(host.name) is open for reading only.")
      if host.configuration.isReadOnly { throw error }
      throw error.hint(
        "The service can't write to its files: permit that, and start the service again."
      )
    }
  }

  /// Returns the request for a write; its outcome is the call's answer.
  func request(
    _ call: Call,
    _ session: Session,
    _ control: CallControl,
    defining container: Container? = nil
  ) -> WriteRequest {
    WriteRequest(
      token: pending.add(
        .call(Caller(session, call), defining: container)
      ),
      operation: call.operation,
      key: key(of: call, session),
      control: control,
      reply: session.reply(to: call.id),
      connection: session.number,
      isBarrier: container != nil,
      author: call.author ?? session.hello.author,
      process: session.hello.process,
      group: call.group
    )
  }

  /// Makes the stores drop a connection's unfinished uploads.
  func dropUploads(_ session: Session) {
    for host in stores.hosts where session.uploads.contains(host.number) && host.reader != nil {
      stores.hand(
        WriteRequest(
          token: pending.add(.server { _ in }),
          operation: .ping,
          control: CallControl(),
          reply: ReplyWriter(id: 0, framing: .lines),
          connection: session.number,
          endsConnection: true
        ),
        to: host
      )
    }
    session.uploads = []
  }

  /// The idempotency key, made unique for the user.
  func key(of call: Call, _ session: Session) -> String? {
    call.key.map { "\(session.peer.user):\($0)" }
  }

  /// Ends a call that couldn't be submitted.
  func fail(_ call: Call, _ session: Session, _ error: DepotError) {
    session.fail(call.id, error)
    session.state.finish(call.id)
    let running = session.calls.removeValue(forKey: call.id)
    note(
      call,
      running?.control ?? .unstoppable,
      session,
      isError: true,
      from: running?.startedAt ?? now
    )
  }

  /// Answers a read at once if it is short, otherwise on a reader's thread.
  private func read(_ call: Call, _ session: Session) {
    // The client may know of a commit by a message that is still unread, or by a frame of another thread.
    let shownCount = inbox.shownCount
    if inbox.hasMessages || shownCount != lastShownCount {
      lastShownCount = shownCount
      for host in stores.hosts { host.served?.endSnapshot() }
    }
    let started = session.calls[call.id]
    let control =
      started?.control ?? (call.deadlineMilliseconds == nil ? .unstoppable : control(of: call))
    let reply = session.reply(to: call.id)
    var isError = false
    var found: StoreHost?
    do throws(DepotError) {
      try control.check()
      if let pin = call.pin {
        return try read(call, started ?? running(call), pinned: pin, session)
      }
      if case .pin(let age) = call.pattern {
        return try self.pin(call, maxAgeMilliseconds: age, session)
      }
      if case .unpin(let name) = call.pattern {
        try unpin(name, session)
        session.calls[call.id] = nil
        return answer(call, session) { $0.raw("{}") }
      }
      let container = try container(call.container, session)
      if case .getSchema = call.pattern { return answerSchema(container, call, session) }
      let host = try container.host(of: call.pattern)
      found = host
      guard let reader = host.reader else { throw host.refuse() }
      // A short answer is one frame of rows, for which every credit is enough.
      let isQuick = try reader.perform(
        call.pattern,
        form: call.form,
        catalog: host.catalog,
        control: control,
        reply: reply,
        isAlone: isAlone(session),
        into: &session.output.writer
      )
      guard isQuick else {
        let running = started ?? running(call)
        return try readLong(call, running, of: host, session, catalog: host.catalog)
      }
    } catch {
      session.fail(call.id, error)
      isError = true
    }
    session.state.finish(call.id)
    if started != nil { session.calls[call.id] = nil }
    note(
      call,
      control,
      session,
      isError: isError,
      from: started?.startedAt ?? now,
      host: found
    )
  }

  /// Returns whether answering one call of a session is the only work of this round.
  private func isAlone(_ session: Session) -> Bool {
    session.output.count == 0 && session.decoder.pendingCount == 0 && !session.queue.hasWaiting
      && stores.writing.isEmpty && sessions.ready.count == 1
      && sessions.unsent.allSatisfy { $0 === session }
  }

  /// Passes a read to the readers' threads.
  func readLong(
    _ call: Call,
    _ running: RunningCall,
    of host: StoreHost,
    _ session: Session,
    catalog: Catalog,
    pin: SharedSnapshot? = nil
  ) throws(DepotError) {
    let open = session.calls.values.count { $0.stream?.isLimited == true }
    guard !call.operation.isStream || open < Limits.streams else {
      throw DepotError(.tooManyStreams, "\(Limits.streams) streams are open on this connection.")
        .hint("Read one of them to its end, or cancel it.")
    }
    let caller = Caller(session, call)
    // A read that has begun holds a row in memory.
    let hasRoom = !call.operation.isStream || session.streamRoom > 0
    let granted = hasRoom ? min(RunningStream.firstWindow, call.credit ?? .max) : 0
    let read = LongRead(
      operation: call.operation,
      catalog: catalog,
      control: running.control,
      reply: session.reply(to: call.id),
      client: session.number,
      pin: pin,
      allowance: granted
    ) { [inbox] frames, count, isLast in
      inbox.post(.rows(caller, frames: frames, count: count, isLast: isLast))
    }
    var running = running
    running.stream = RunningStream(.read(read), host, credit: call.credit, granted: granted)
    running.stream?.hasBegun = hasRoom
    session.calls[call.id] = running
    if hasRoom { host.readers?.start(read) }
  }
}
