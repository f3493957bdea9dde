internal import DepotLinux
internal import DepotProtocol

extension ClientLoop {
  /// Connects again as soon as somebody needs it; `nil` if the client is closed.
  mutating func reconnect() -> Descriptor? {
    while true {
      guard waitForCalls() else { return nil }
      let end = Monotonic.now() + UInt64(core.options.retryBudget.milliseconds) * 1_000_000
      var pause = 10
      while true {
        do throws(DepotError) {
          return try connect()
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

  /// Sleeps until there are calls; returns whether the client goes on.
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
    let wake = min(end, Monotonic.now() + UInt64(milliseconds) * 1_000_000)
    while Monotonic.now() < wake, !core.isClosed {
      let left = Int((wake - min(wake, Monotonic.now())) / 1_000_000 + 1)
      _ = Poll.wait(for: nil, wantsWrite: false, or: core.signal, milliseconds: left)
      expire()
    }
  }

  /// Fails the calls that waited for a connection in vain.
  private func fail(_ error: DepotError) {
    let lost = DepotError(.disconnected, "The connection was lost and can't be made again.")
      .hint(error.description)
    core.update { state in
      state.surrenders += 1
      state.perform(state.table.failAll(lost))
    }
  }
}
