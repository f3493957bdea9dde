internal import DepotLinux
internal import DepotProtocol

extension ClientLoop {
  /// Receives and sends until the connection is lost; returns `false` if the client was closed.
  mutating func serve(_ descriptor: Descriptor) -> Bool {
    do throws(DepotError) {
      // The welcome may have arrived together with more frames.
      try deliver()
      while true {
        let (plan, closure) = core.update { state in (state.plan, state.closure) }
        if closure != nil { return false }
        if plan.isFinished {
          throw DepotError(.disconnected, "The service is ending.")
        }
        let ready = Poll.wait(
          for: descriptor,
          wantsWrite: plan.isSending,
          or: core.signal,
          milliseconds: plan.expiry.map { Monotonic.milliseconds(until: $0) }
        )
        if ready.canRead {
          try receive(descriptor)
          try deliver()
        }
        expire()
      }
    } catch {
      let reason = lastFailure ?? error
      return core.update { state in
        state.descriptor = nil
        state.perform(state.table.disconnect(reason))
        return state.closure == nil
      }
    }
  }

  /// Delivers the received frames to their callers.
  private mutating func deliver() throws(DepotError) {
    var arrived: [(ServerFrame, RowFrame?)] = []
    while case .frame(let bytes)? = try decoder.next() {
      let frame = try ServerFrame(bytes)
      if case .failure(nil, let error) = frame { lastFailure = error }
      var rows: RowFrame?
      if case .next(_, let columns, let offset) = frame {
        rows = RowFrame(bytes: bytes, offset: offset, columns: columns)
      }
      arrived.append((frame, rows))
    }
    guard !arrived.isEmpty else { return }
    core.update { [arrived] state in
      for (frame, rows) in arrived { state.receive(frame, rows) }
    }
  }

  /// Fails the calls whose time is over.
  func expire() {
    core.update { state in state.perform(state.table.expire(now: Monotonic.now())) }
  }
}

extension ClientCore.State {
  /// The events that the thread waits for, and its next deadline.
  fileprivate var plan: (isSending: Bool, isFinished: Bool, expiry: UInt64?) {
    (!outbox.isEmpty, table.isDraining && table.inFlight == 0, table.nextExpiry)
  }

  fileprivate mutating func receive(_ frame: ServerFrame, _ rows: RowFrame?) {
    let now = Monotonic.now()
    switch frame {
    case .ok(let id, let node):
      perform(table.receive(id, .success(node), now: now))
    case .failure(let id?, let error):
      perform(table.receive(id, .failure(error), now: now))
    case .next(let id, _, _):
      if let rows { perform(table.receive(id, rows)) }
    case .ping(let number): perform([.send(.pong(number))])
    case .event("draining"): table.drain()
    case .event("ended"): perform(table.end())
    case .event, .failure, .other, .pong, .welcome: break
    }
  }
}
