internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

extension Server {
  /// Begins a call: answers it here, or hands it to the store or the readers.
  func start(_ bare: Call, _ session: Session, _ now: UInt64) {
    if let error = refusal(of: bare, session) {
      session.fail(bare.id, error)
      session.state.finish(bare.id)
      return statistics.note(bare.operation.ordinal, nanoseconds: 0, isError: true)
    }
    let call: Call
    do throws(DepotError) {
      call = try joined(bare, session)
    } catch {
      return fail(bare, session, error, now)
    }
    switch call.operation {
    case .insert, .update, .delete, .save, .writeBlob, .deleteHistory, .acknowledgeHistory,
      .forgetConsumer, .undo, .redo:
      if session.deferred.isEmpty && session.exclusive == nil && session.chunked == nil {
        write(call, session, now)
      } else {
        wait(call, session, now)
      }
    case .defineSchema, .openContainer, .closeContainer, .beginMigration, .commitMigration,
      .abortMigration:
      if session.writesInFlight == 0 {
        startExclusive(call, session, now)
      } else {
        wait(call, session, now)
      }
    case .listContainers:
      let list = containerList()
      answer(call, session, now) { $0.write(list) }
    case .get, .fetch, .count, .exists, .aggregate, .explain, .getSchema, .readBlob, .history,
      .historyStatus, .historyRow, .pin, .unpin:
      if session.writesInFlight == 0 { read(call, session, now) } else { wait(call, session, now) }
    case .watch, .barrier:
      if session.writesInFlight == 0 { watch(call, session, now) } else { wait(call, session, now) }
    case .stage(let request): stage(request, call, session, now)
    case .ping: answer(call, session, now) { $0.raw("{}") }
    case .describe: answer(call, session, now) { $0.raw(Self.protocolDocument) }
    case .stats:
      let report = report(now)
      answer(call, session, now) { $0.write(report) }
    case .shutdown:
      answer(call, session, now) { $0.raw("{}") }
      if phase == .handedOver { finishTakeover(session) } else { drain(now, "a client asked") }
    case .takeover(let store):
      do throws(DepotError) {
        try beginTakeover(store, call, session, now)
      } catch {
        fail(call, session, error, now)
      }
    }
  }

  /// The protocol's document on one line, as NDJSON needs it.
  private static let protocolDocument = Array(ProtocolDocument.line.utf8)

  private func refusal(of call: Call, _ session: Session) -> DepotError? {
    switch call.operation {
    case .shutdown, .takeover:
      if isInProgram {
        return DepotError(.operation, "The service is part of the program \(Process.identifier).")
          .hint("It ends with that program.")
      }
      guard session.role == .owner else {
        return DepotError(.operation, "Only the owner of the service may end it.")
      }
    default: break
    }
    var takesBackup = true
    let isChange: Bool
    switch call.operation {
    case .closeContainer, .beginMigration, .abortMigration, .stage: isChange = true
    case .commitMigration(let wantsBackup): (isChange, takesBackup) = (true, wantsBackup)
    case .defineSchema(_, _, let options): (isChange, takesBackup) = (true, options.takesBackup)
    default: isChange = call.operation.isWrite
    }
    if isChange, session.role == .reader {
      return DepotError(.operation, "User \(session.peer.user) may only read.")
    }
    if !takesBackup, session.role != .owner {
      return DepotError(.operation, "Only the owner of the service may migrate without a backup.")
    }
    return nil
  }

  func answer(
    _ call: Call,
    _ session: Session,
    _ now: UInt64,
    _ body: (inout JSONWriter) -> Void
  ) {
    session.reply(to: call.id).ok(to: &session.output.writer, body)
    session.state.finish(call.id)
    note(call.operation.ordinal, nil, since: now, call.id, session, isError: false)
  }

  private func answerSchema(
    _ container: Container,
    _ call: Call,
    _ session: Session,
    _ now: UInt64
  ) {
    session.calls[call.id] = nil
    answer(call, session, now) { writer in
      writer.raw("{\"schema\":")
      writer.write(container.schema)
      writer.raw(",\"fingerprint\":")
      writer.string(container.fingerprint)
      writer.raw(",\"hashes\":")
      writer.write(.object(container.schema.hashes))
      writer.raw("}")
    }
  }

  private func control(of call: Call, _ now: UInt64) -> CallControl {
    guard let milliseconds = call.deadlineMilliseconds else { return CallControl() }
    return CallControl(deadline: now + UInt64(milliseconds) * 1_000_000)
  }

  func running(_ call: Call, _ now: UInt64) -> RunningCall {
    RunningCall(
      operation: call.operation.ordinal,
      entity: call.operation.entity,
      startedAt: now,
      control: control(of: call, now)
    )
  }

  private func write(_ call: Call, _ session: Session, _ now: UInt64) {
    do throws(DepotError) {
      let container = try container(call.container, session)
      if container.isView {
        throw DepotError(.readOnly, "The store as it was before the migration can't be changed.")
          .hint("Write to \(container.name.dropLast(4))\(MigrationRequest.newSuffix).")
      }
      let host = try container.host(of: call.operation)
      try requireWritable(host)
      let running = session.calls[call.id] ?? running(call, now)
      session.calls[call.id] = running
      session.writesInFlight += 1
      if call.operation.chunk != nil { session.chunked = call.id }
      if case .writeBlob(let request) = call.operation, request.upload != nil {
        session.uploads.insert(host.number)
      }
      var request = request(call, session, running.control)
      allowDirectAnswer(to: &request, session, of: host)
      hand(request, to: host)
    } catch {
      fail(call, session, error, now)
    }
  }

  /// - Throws: ``DepotError`` if the store takes no writes, for now or at all.
  func requireWritable(_ host: StoreHost) throws(DepotError) {
    guard host.reader != nil else { throw host.refuse() }
    guard !host.configuration.isReadOnly else {
      throw DepotError(.readOnly, "The store \(host.name) is open for reading only.")
    }
  }

  /// Returns the request for a write whose outcome is the call's answer.
  func request(_ call: Call, _ session: Session, _ control: CallControl) -> WriteRequest {
    let token = nextWrite
    nextWrite += 1
    writers[token] = (session.number, call.id)
    return WriteRequest(
      token: token,
      operation: call.operation,
      key: key(of: call, session),
      control: control,
      reply: session.reply(to: call.id),
      connection: session.number,
      author: call.author ?? session.author,
      process: session.process,
      group: call.group
    )
  }

  /// Has the stores forget what a connection began to upload.
  func dropUploads(_ session: Session) {
    for host in hosts where session.uploads.contains(host.number) && host.reader != nil {
      let token = nextWrite
      nextWrite += 1
      hand(
        WriteRequest(
          token: token,
          operation: .ping,
          reply: ReplyWriter(id: 0, framing: .lines),
          connection: session.number,
          endsConnection: true
        ),
        to: host
      )
    }
    session.uploads = []
  }

  /// The idempotency key, which is one user's.
  func key(of call: Call, _ session: Session) -> String? {
    call.key.map { "\(session.peer.user):\($0)" }
  }

  /// Ends a call that couldn't be handed over.
  func fail(_ call: Call, _ session: Session, _ error: DepotError, _ now: UInt64) {
    session.fail(call.id, error)
    session.state.finish(call.id)
    let start = session.calls.removeValue(forKey: call.id)?.startedAt ?? now
    note(
      call.operation.ordinal,
      call.operation.entity,
      since: start,
      call.id,
      session,
      isError: true
    )
  }

  /// Keeps a call until those before it on its connection are done.
  ///
  /// A read waits for the writes before it, a write for one that is done in chunks, and what follows a
  /// waiting call waits behind it, so that a connection's calls act as if each had been sent after the
  /// answer to the one before.
  private func wait(_ call: Call, _ session: Session, _ now: UInt64) {
    session.revokeDirectAnswer()
    session.deferred.append(call)
    session.calls[call.id] = running(call, now)
  }

  /// Runs the calls that waited for the connection's writes, up to the next that must wait.
  func runDeferred(_ session: Session, _ now: UInt64) {
    while session.exclusive == nil, let call = session.deferred.first {
      if call.operation.isExclusive {
        guard session.writesInFlight == 0 else { return }
        session.deferred.removeFirst()
        startExclusive(call, session, now)
      } else if call.operation.isWrite {
        guard session.chunked == nil else { return }
        session.deferred.removeFirst()
        write(call, session, now)
      } else if session.writesInFlight == 0 {
        session.deferred.removeFirst()
        if call.operation.isWatching {
          watch(call, session, now)
        } else {
          read(call, session, now)
        }
      } else {
        return
      }
    }
  }

  /// Answers a read at once if it is short, otherwise on a reader's thread.
  private func read(_ call: Call, _ session: Session, _ now: UInt64) {
    // Whoever asks may have heard of a commit whose note wasn't read yet.
    if inbox.hasMessages { for host in hosts { host.endSnapshot() } }
    let started = session.calls[call.id]
    let control =
      started?.control ?? (call.deadlineMilliseconds == nil ? .unstoppable : control(of: call, now))
    let reply = session.reply(to: call.id)
    var isError = false
    var found: StoreHost?
    do throws(DepotError) {
      try control.check()
      if let pin = call.pin {
        let control = started?.control ?? self.control(of: call, now)
        return try read(call, pinned: pin, session, control, started?.startedAt ?? now, now)
      }
      if case .pin(let age) = call.operation {
        return try self.pin(call, maxAgeMilliseconds: age, session, now)
      }
      if case .unpin(let name) = call.operation {
        try unpin(name, session, now)
        session.calls[call.id] = nil
        return answer(call, session, now) { $0.raw("{}") }
      }
      let container = try container(call.container, session)
      if case .getSchema = call.operation { return answerSchema(container, call, session, now) }
      let host = try container.host(of: call.operation)
      found = host
      guard let reader = host.reader else { throw host.refuse() }
      // A stream that waits for credit can't be answered in one go.
      var isQuick = false
      if call.credit == nil {
        isQuick = try reader.perform(
          call.operation,
          catalog: host.catalog,
          control: control,
          reply: reply,
          isAlone: isAlone(session),
          into: &session.output.writer
        )
      }
      guard isQuick else {
        let control = started?.control ?? self.control(of: call, now)
        let start = started?.startedAt ?? now
        return try readLong(call, host, session, control, start, catalog: host.catalog)
      }
    } catch {
      session.fail(call.id, error)
      isError = true
    }
    session.state.finish(call.id)
    session.calls[call.id] = nil
    note(
      call.operation.ordinal,
      call.operation.entity,
      since: started?.startedAt ?? now,
      call.id,
      session,
      isError: isError,
      read: found.map { (call.operation, $0) }
    )
  }

  /// Returns whether the turn has nothing else to do or to send than to answer one call of a session.
  private func isAlone(_ session: Session) -> Bool {
    session.output.count == 0 && session.decoder.pendingCount == 0 && session.deferred.isEmpty
      && writing.isEmpty && unfinished.isEmpty && touched.allSatisfy { $0 === session }
  }

  /// Hands a read to the readers' threads.
  func readLong(
    _ call: Call,
    _ host: StoreHost,
    _ session: Session,
    _ control: CallControl,
    _ start: UInt64,
    catalog: Catalog,
    pin: Pin? = nil
  ) throws(DepotError) {
    guard session.calls.values.count(where: { $0.stream?.isWatch == false }) < Limits.streams else {
      throw DepotError(.tooManyStreams, "\(Limits.streams) streams are open on this connection.")
        .hint("Read one of them to its end, or cancel it.")
    }
    let (connection, id) = (session.number, call.id)
    let granted = min(RunningStream.window, call.credit ?? .max)
    let read = LongRead(
      operation: call.operation,
      catalog: catalog,
      control: control,
      reply: session.reply(to: id),
      pin: pin,
      allowance: granted
    ) { [inbox] frames, count, isLast in
      inbox.post(
        .rows(connection: connection, call: id, frames: frames, count: count, isLast: isLast)
      )
    }
    var running = RunningCall(
      operation: call.operation.ordinal,
      entity: call.operation.entity,
      startedAt: start,
      control: control
    )
    running.stream = RunningStream(
      source: .read(read),
      host: host,
      credit: call.credit,
      granted: granted
    )
    session.calls[id] = running
    host.readers?.start(read)
  }
}

extension Operation {
  /// Whether later calls of the connection wait until it is done.
  fileprivate var isExclusive: Bool {
    switch self {
    case .defineSchema, .openContainer, .closeContainer, .beginMigration, .commitMigration,
      .abortMigration:
      true
    default: false
    }
  }
}

extension Schema {
  /// The hash of each entity, by its name.
  fileprivate var hashes: [String: JSONValue] {
    var result: [String: JSONValue] = [:]
    for entity in entities { result[entity.name] = .string(entity.hash(in: self)) }
    return result
  }
}
