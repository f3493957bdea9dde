internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

extension Server {
  /// Begins a call of those who watch.
  func watch(_ call: Call, _ session: Session, _ now: UInt64) {
    do throws(DepotError) {
      let container = try container(call.container, session)
      if case .watch(let request) = call.operation {
        let host = try container.host(of: call.operation)
        // It waited for a write while the end began; nobody would end it.
        guard case .serving = phase else { throw ReaderPool.draining }
        try watch(request, call, host, session, now)
      } else {
        try setBarrier(call, container, session, now)
      }
    } catch {
      fail(call, session, error, now)
    }
  }

  private func watch(
    _ request: WatchRequest,
    _ call: Call,
    _ host: StoreHost,
    _ session: Session,
    _ now: UInt64
  ) throws(DepotError) {
    let live = try host.liveQueries()
    var running = session.calls[call.id] ?? running(call, now)
    let granted = min(RunningStream.window, call.credit ?? .max)
    let (connection, id) = (session.number, call.id)
    let watch = LiveWatch(
      request,
      control: running.control,
      reply: session.reply(to: id),
      connection: connection,
      allowance: granted
    ) { [inbox] frames, count, isLast in
      inbox.post(
        .rows(connection: connection, call: id, frames: frames, count: count, isLast: isLast)
      )
    }
    running.stream = RunningStream(
      source: .watch(watch),
      host: host,
      credit: call.credit,
      granted: granted
    )
    session.calls[id] = running
    live.begin(watch)
  }

  private func setBarrier(
    _ call: Call,
    _ container: Container,
    _ session: Session,
    _ now: UInt64
  ) throws(DepotError) {
    // A store in which nothing was ever watched has nothing to wait for.
    var watched = container.hosts.compactMap(\.live)
    if watched.isEmpty { watched = [try container.hosts[0].liveQueries()] }
    let running = session.calls[call.id] ?? running(call, now)
    session.calls[call.id] = running
    let (connection, id) = (session.number, call.id)
    let tokens = GatheredTokens(watched.count) { [inbox] result in
      inbox.post(.barrier(connection: connection, call: id, result))
    }
    for (index, live) in watched.enumerated() {
      live.add(
        LiveBarrier(connection: connection, control: running.control) { result in
          tokens.put(result, at: index)
        }
      )
    }
  }

  /// Answers a call that waited until its connection was told of everything.
  func passBarrier(
    _ connection: Int64,
    _ id: Int64,
    _ result: Result<[HistoryToken], DepotError>,
    _ now: UInt64
  ) {
    guard let session = sessions[connection], session.calls[id] != nil, !session.isClosing else {
      return
    }
    var isError = false
    switch result {
    case .success(let tokens):
      let texts = tokens.map { JSONValue.string($0.description) }
      session.reply(to: id).ok(to: &session.output.writer) { writer in
        writer.write(.object(["token": texts[0], "tokens": .array(texts)]))
      }
    case .failure(let error):
      session.fail(id, error)
      isError = true
    }
    touch(session)
    finish(id, of: session, isError: isError, now)
  }

  /// Ends what would go on for as long as the client likes.
  func endWatches(of session: Session) {
    for call in session.calls.values where call.stream?.isWatch == true {
      call.stream?.stop(ReaderPool.draining)
    }
  }
}

extension Operation {
  /// Whether it is about what is watched.
  var isWatching: Bool {
    if case .barrier = self { return true }
    return isWatch
  }

  /// Whether it goes on until the client has enough.
  var isWatch: Bool {
    if case .watch = self { true } else { false }
  }
}
