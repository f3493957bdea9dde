internal import DepotLinux
internal import DepotProtocol

extension ClientLoop {
  /// Connects again as soon as there are calls; `nil` if the client is closed.
  mutating func reconnect() -> Descriptor? {
    while true {
      guard waitForCalls() else { return nil }
      let end = Monotonic.deadline(after: core.options.retryBudget.milliseconds)
      var pause = 10
      while true {
        do throws(DepotError) {
          // A service that takes the connection has a second for its welcome in any case.
          let left = max(1000, Monotonic.milliseconds(until: end))
          return try connect(patience: min(left, Limits.helloMilliseconds))
        } catch {
          if core.isClosed { return nil }
          guard Monotonic.now() < end, error.retry == .later else {
            fail(error)
            break
          }
        }
        rest(milliseconds: Int.random(in: pause / 2...pause), until: end)
        pause = min(pause * 2, 500)
      }
    }
  }

  /// Sleeps until there are calls; returns `false` if the client was closed.
  private func waitForCalls() -> Bool {
    while true {
      let (isClosed, isEmpty) = core.update { state in
        state.isIdle = true
        return (state.closure != nil, state.table.isEmpty)
      }
      if isClosed { return false }
      guard isEmpty else { break }
      _ = Poll.wait(for: nil, wantsWrite: false, or: core.signal, milliseconds: nil)
    }
    core.update { state in state.isIdle = false }
    return true
  }

  private func rest(milliseconds: Int, until end: UInt64) {
    let wake = min(end, Monotonic.deadline(after: milliseconds))
    while Monotonic.now() < wake, !core.isClosed {
      let left = Monotonic.milliseconds(until: wake)
      _ = Poll.wait(for: nil, wantsWrite: false, or: core.signal, milliseconds: left)
      expire()
    }
  }

  /// Fails the calls that waited for a connection in vain.
  private func fail(_ error: DepotError) {
    let lost = DepotError(.disconnected, "The connection was lost and can't be made again.")
      .hint(error.description)
    core.update { state in
      state.reconnectFailures += 1
      state.perform(state.table.failAll(lost))
    }
  }
}
