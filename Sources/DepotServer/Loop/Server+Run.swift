internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// The event loop: its start, and the time that it may sleep.
extension Server {
  /// Serves until a signal or a client ends the service.
  ///
  /// The calling thread becomes the loop's thread.
  ///
  /// - Returns: The exit status for the process.
  package nonisolated func run() -> Int32 {
    loop.adoptCurrentThread()
    return assumeIsolated { $0.serve() }
  }

  private func serve() -> Int32 {
    var events: [EventLoop.Event] = []
    var timeout = begin()
    while true {
      loop.wait(milliseconds: timeout, &events)
      switch runIteration(events) {
      case .end(let status):
        inbox.close()
        return status
      case .wait(let milliseconds): timeout = milliseconds
      }
    }
  }

  /// The next step of the loop after a round.
  enum Next {
    case wait(milliseconds: Int32)
    case end(status: Int32)
  }

  private func begin() -> Int32 {
    if case .starting(let clients) = phase {
      phase = .serving
      for client in clients { adopt(client) }
    }
    if access.isShared { acceptor.listener?.admitAll() }
    do throws(SystemError) {
      if let signals {
        try loop.add(signals.descriptor, token: Self.signalToken)
      }
    } catch {
      log.write(.error, "signals can't be watched", [("error", .text("\(error)"))])
    }
    watchListener()
    watchFiles()
    log.write(
      .notice,
      "ready",
      [
        ("socket", .text(configuration.socketPath)), ("store", .text(configuration.storeName)),
        ("ms", .number((Monotonic.now() - startedAt) / 1_000_000)),
        ("version", .text(ProtocolVersion.software)),
      ]
    )
    logCluster(of: stores.hosts[0])
    for host in stores.hosts where host.isReadOnly && !host.configuration.isReadOnly {
      let fields = [("store", ServerLog.Value.text(host.configuration.path))]
      log.write(.warning, "the store can't be written there; it is served for reading only", fields)
    }
    if notifier?.watchdogNanoseconds != nil { schedule.watchdog = now }
    notifier?.send("READY=1\nSTATUS=serving \(configuration.storeName)")
    record(isStopped: false)
    if configuration.reportsStart { StartReport.ready(store: configuration.storeName).send() }
    Process.releaseCode()
    return timeout()
  }

  /// The time that the loop may sleep, in milliseconds.
  func timeout() -> Int32 {
    if !sessions.ready.isEmpty || stores.hosts.contains(where: { !$0.stopped.isEmpty }) { return 0 }
    let next = min(schedule.deadline, schedule.watchdog)
    let rest = next > now ? (next - now) / 1_000_000 + 1 : 1
    return min(idleTimeout, Int32(clamping: rest))
  }

  /// The time that the loop may sleep while no call has a deadline, in milliseconds.
  private var idleTimeout: Int32 {
    // Nothing notifies this thread when others free descriptors.
    if isAcceptingPaused { return Int32(Self.acceptPause / 1_000_000) }
    let isIdle = isServing && sessions.isEmpty && !stores.hosts.contains(where: \.isFull)
    guard isIdle else { return 500 }
    return fileNotices == nil && !isInProgram ? 1000 : 10_000
  }
}
