internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// The signals, the periodic work, and the orderly end of the service.
extension Server {
  /// Handles SIGTERM, SIGINT, and SIGHUP.
  func receiveSignals() {
    while let signal = signals?.next() {
      switch (signal, phase) {
      case (.hangUp, _): reload()
      case (.terminate, .serving): drain("signal")
      case (.terminate, .draining(_, let departure)): phase = .draining(until: now, departure)
      case (.terminate, .handedOver): phase = .ended(status: 0)
      case (.terminate, .resuming(let handover, _)): phase = .resuming(handover, mustEnd: true)
      case (.terminate, _): break
      }
    }
  }

  /// Reads the configuration file again; connections stay.
  private func reload() {
    notifier?.send("RELOADING=1\nMONOTONIC_USEC=\(Monotonic.now() / 1000)")
    do throws(SystemError) {
      try log.reopen()
    } catch {
      log.write(.error, "the log isn't opened again", [("error", .text("\(error)"))])
    }
    do throws(DepotError) {
      let fresh = try configuration.reloaded()
      access = fresh.access
      if access.isShared { acceptor.listener?.admitAll() }
      slowNanoseconds = UInt64(fresh.slowMilliseconds) * 1_000_000
      log.write(.notice, "reloaded")
      notifier?.send("READY=1\nSTATUS=reloaded")
    } catch {
      let place = error.at.map { [("at", ServerLog.Value.text($0))] } ?? []
      log.write(.error, "not reloaded", place + [("error", .text(error.message))])
      notifier?.send(
        "READY=1\nSTATUS=not reloaded: \(error.at.map { $0 + ": " } ?? "")\(error.message)"
      )
    }
  }

  /// Stops accepting, refuses new calls, and notifies the clients.
  func drain(_ reason: String, for departure: Departure = .end(status: 0)) {
    guard isServing else { return }
    log.write(.notice, "draining", [("reason", .text(reason))])
    let until = now + UInt64(configuration.drainMilliseconds) * 1_000_000
    phase = .draining(until: until, departure)
    pauseListener()
    if case .end = departure {
      notifier?.send("STOPPING=1")
      acceptor.listener?.unlinkIfOwn()
    }
    for session in sessions.values
    where session.state.isOpen && session.number != departure.connection {
      session.state.drain()
      session.send { $0.raw("{\"event\":\"draining\"}") }
      endWatches(of: session)
      scheduleFlush(session)
    }
  }

  /// Enters the next phase of the service's end once the present one is done.
  ///
  /// - Returns: The process's exit status at the very end; `nil` before.
  func advance() -> Int32? {
    switch phase {
    case .starting, .serving, .handedOver, .resuming: return nil
    case .closing(let departure):
      closeNext(before: departure)
      if case .ended = phase { return advance() }
      return nil
    case .ended(let status):
      log.write(.notice, "ended")
      pending.removeAll()
      opener.stop()
      return status
    case .draining(let until, let departure):
      let clients = sessions.values.filter { $0.number != departure.connection }
      let isDone = clients.allSatisfy { $0.calls.isEmpty && $0.output.count == 0 }
      guard isDone || now >= until else { return nil }
      for session in clients {
        if isDone, session.state.isOpen { sayEnd(to: session) }
        end(session)
      }
      phase = .closing(departure)
      return advance()
    }
  }

  /// Tells a client that the service ended and that calls without an answer never began.
  private func sayEnd(to session: Session) {
    session.send { $0.raw("{\"event\":\"ended\"}") }
    flushNow(session)
  }

  /// Closes the next store, the service's own last; departs when all are closed.
  private func closeNext(before departure: Departure) {
    let isClosing = stores.hosts.contains { $0.isActive && !$0.isOpen }
    if isClosing || opener.isBusy { return }
    if let host = stores.hosts.last(where: \.isOpen) { return host.suspend(ReaderPool.draining) }
    stores.memory?.remove()
    switch departure {
    case .end(let status): phase = .ended(status: status)
    case .handover(let handover): handOver(handover)
    }
  }

  /// Does periodic work.
  func tick() {
    schedule.tick = now + (isAcceptingPaused ? Self.acceptPause : 500_000_000)
    if isServing { watchListener() }
    for session in sessions.values {
      if session.output.count == 0 { topUp(session, isWaiting: true) }
      if session.state.isClosing {
        if now - session.lastProgress > 5_000_000_000 { end(session) }
      } else if session.state.isAwaitingHello {
        guard now - session.openedAt > UInt64(Limits.helloMilliseconds) * 1_000_000 else {
          continue
        }
        close(session, DepotError(.hello, "The client didn't say hello in time."))
        flushNow(session)
      } else if session.output.count > 0 {
        guard now - session.lastProgress > stallNanoseconds, !session.waitsForReader else {
          continue
        }
        cutOff(session, "The client took nothing for \(configuration.stallMilliseconds) ms.")
      } else if session.decoder.pendingCount > 0, session.held == nil,
        !session.lists.contains(.ready),
        now - session.lastProgress > stallNanoseconds
      {
        close(session, DepotError(.frame, "The rest of a frame didn't come in time."))
        flushNow(session)
      }
    }
    boundWaitingRows()
    for host in stores.hosts {
      host.readers?.tendParked(olderThan: stallNanoseconds)
      host.served?.giveBackMemory(unusedFor: 5_000_000_000, at: now)
      host.live?.tick()
      lookForRoom(host)
    }
    if tendSnapshots() { schedule.tick = now + 100_000_000 }
    if now >= schedule.purge {
      schedule.purge = now + 10_000_000_000
      for host in stores.hosts where host.isOpen { host.store?.purgeHistory() }
    }
    if !isServing { endStreamsOutOfCredit() }
  }

  /// Cuts off the slowest readers while unread rows take too much memory in total.
  private func boundWaitingRows() {
    let waiting = sessions.values.filter { session in
      !session.state.isClosing && session.output.count > 0 && session.waitsForReader
        && now - session.lastProgress > stallNanoseconds
    }
    var bytes = waiting.reduce(0) { $0 + $1.output.count }
    guard bytes > Limits.outboundHardBytes else { return }
    for session in waiting.sorted(by: { $0.lastProgress < $1.lastProgress })
    where bytes > Limits.outboundHardBytes {
      bytes -= session.output.count
      cutOff(session, "The client read too slowly, and other calls needed the memory.")
    }
  }

  /// Notifies the service manager that the loop runs, twice as often as it requires.
  func assureWatchdog() {
    guard let notifier, let interval = notifier.watchdogNanoseconds else { return }
    notifier.send("WATCHDOG=1")
    schedule.watchdog = now + interval / 2
  }

  /// Ends streams without credit, which would delay the end of the service.
  private func endStreamsOutOfCredit() {
    let error = DepotError(.draining, "The service is about to end.")
    for session in sessions.values {
      for call in session.calls.values where call.stream?.isOutOfCredit == true {
        call.stream?.stop(error)
      }
    }
  }

  /// The longest time in nanoseconds that a client may neither read nor complete a frame.
  private var stallNanoseconds: UInt64 {
    UInt64(configuration.stallMilliseconds) * 1_000_000
  }

  func flushNow(_ session: Session) {
    _ = try? session.socket.flush(&session.output, to: session.descriptor, isEnding: true)
  }
}
