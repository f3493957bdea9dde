internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

extension Server {
  /// Begins a watch, or a call that is about watches.
  func watch(_ call: Call, _ session: Session) {
    do throws(DepotError) {
      let container = try container(call.container, session)
      if case .watch(let request) = call.operation {
        let host = try container.host(of: call.operation)
        // The service began to end while this call waited; nobody would end the watch.
        guard isServing else { throw ReaderPool.draining }
        try watch(request, call, host, session)
      } else {
        try setBarrier(call, container, session)
      }
    } catch {
      fail(call, session, error)
    }
  }

  private func watch(
    _ request: WatchRequest,
    _ call: Call,
    _ host: StoreHost,
    _ session: Session
  ) throws(DepotError) {
    let live = try host.liveQueries()
    var running = session.calls[call.id] ?? running(call)
    let granted = min(RunningStream.window, call.credit ?? .max)
    let caller = Caller(session, call)
    let watched = WatchedFrames(caller, session.socket, inbox)
    let watch = LiveWatch(
      request,
      control: running.control,
      reply: session.reply(to: call.id),
      connection: session.number,
      allowance: granted
    ) { watched.deliver($0, $1, isLast: $2) }
    running.stream = RunningStream(
      .watch(watch, watched),
      host,
      credit: call.credit,
      granted: granted
    )
    session.calls[call.id] = running
    live.begin(watch)
  }

  private func setBarrier(
    _ call: Call,
    _ container: Container,
    _ session: Session
  ) throws(DepotError) {
    // A store that was never watched has nothing to wait for.
    var watched = container.hosts.compactMap(\.live)
    if watched.isEmpty { watched = [try container.hosts[0].liveQueries()] }
    let running = session.calls[call.id] ?? running(call)
    session.calls[call.id] = running
    let caller = Caller(session, call)
    let tokens = GatheredTokens(watched.count) { [inbox] result in
      inbox.post(.barrier(caller, result))
    }
    for (index, live) in watched.enumerated() {
      live.add(
        LiveBarrier(connection: session.number, control: running.control) { result in
          tokens.put(result, at: index)
        }
      )
    }
  }

  /// Answers a barrier once its connection has received all earlier events.
  func passBarrier(_ caller: Caller, _ result: Result<[HistoryToken], DepotError>) {
    guard let session = session(of: caller) else { return }
    let answer = result.map { tokens in
      let texts = tokens.map { JSONValue.string($0.description) }
      return JSONValue.object(["token": texts[0], "tokens": .array(texts)])
    }
    end(caller.call, of: session, answer)
  }

  /// Ends a session's watches, which otherwise never end by themselves.
  func endWatches(of session: Session) {
    for call in session.calls.values where call.stream?.isWatch == true {
      call.stream?.stop(ReaderPool.draining)
    }
  }
}

extension RunningCall {
  /// Whether the call waits until its connection has received all earlier events.
  var isBarrier: Bool { if case .barrier = call.pattern { true } else { false } }
}

extension Operation {
  /// Whether the call is a watch, which runs until the client cancels it.
  var isWatch: Bool {
    if case .watch = self { true } else { false }
  }
}
