internal import DepotLinux
package import DepotProtocol
internal import Synchronization

extension ReaderPool {
  /// Pins a snapshot that reads can share until it is released or expires.
  ///
  /// `completion` is called once, on a reader's thread, with the snapshot's facts; earlier reads of
  /// the pin wait for it.
  package func pin(
    _ catalog: Catalog,
    store: String,
    for lease: SnapshotLease,
    completion: @escaping @Sendable (Result<SharedSnapshot.Facts, DepotError>) -> Void
  ) -> SharedSnapshot {
    let (pin, isHeld) = state.withLock { state in
      let pin = SharedSnapshot(worker: takeWorker(&state), lease: lease)
      let open: @Sendable () -> Void = {
        pin.worker.open(pin, catalog, store: store, completion: completion)
      }
      if state.isClosing {
        _ = pin.stop(Self.draining)
      } else {
        state.pins[ObjectIdentifier(pin)] = pin
        state.pinCount += 1
      }
      if state.isHeld { state.waitingPins.append(open) }
      return (pin, state.isHeld)
    }
    if !isHeld { pin.worker.open(pin, catalog, store: store, completion: completion) }
    return pin
  }

  /// Releases a pin; its reads end with `reason`.
  package func end(_ pin: SharedSnapshot, _ reason: DepotError) {
    let isKnown = state.withLock { state in
      guard state.pins.removeValue(forKey: ObjectIdentifier(pin)) != nil else { return false }
      state.lastEnd = Monotonic.now()
      return true
    }
    guard isKnown, pin.stop(reason) else { return }
    pin.worker.release(pin, reason) { self.didEndPin(pin.worker) }
  }

  /// Ends pins whose lease is over, with `stream.expired`.
  package func expirePins() {
    let now = Monotonic.now()
    for pin in state.withLock({ Array($0.pins.values) })
    where pin.lease.isOver(at: now) {
      expire(pin, .pinExpired)
    }
  }

  private func expire(_ pin: SharedSnapshot, _ reason: DepotError) {
    state.withLock { $0.expiredPins += 1 }
    end(pin, reason)
  }
}

/// The expiry of pins, without which the log could never restart.
///
/// It restarts only when it has no readers, and would otherwise grow without limit.
extension ReaderPool {
  /// Keeps new reads from starting until ``letIn()``.
  package func holdBack() { state.withLock { $0.isHeld = true } }

  /// Starts the reads that were held back.
  package func letIn() {
    let (pins, reads) = state.withLock { state in
      state.isHeld = false
      defer { state.waitingPins = [] }
      return (state.waitingPins, takeWaiting(&state))
    }
    for open in pins { open() }
    for (read, worker) in reads { read.beginRunning(on: worker) }
  }

  /// Ends the reads and pins that began more than `nanoseconds` ago, with `stream.expired`.
  package func shed(olderThan nanoseconds: UInt64) {
    let now = Monotonic.now()
    let limit = now > nanoseconds ? now - nanoseconds : 0
    let (reads, pins) = state.withLock { state in
      (state.active.values.map(\.read), Array(state.pins.values))
    }
    for pin in pins where pin.began <= limit { expire(pin, .pinTooLong) }
    for read in reads where read.pin == nil && read.began <= limit {
      read.stop(
        DepotError(.streamExpired, "The snapshot ended because the store's log became too long.")
          .hint("Continue after the last row with \"after\"; rows come from a later snapshot.")
      )
    }
  }

  /// Whether there are no reads and pins, except waiting pins.
  package var isQuiet: Bool {
    state.withLock { state in
      state.active.isEmpty && state.pins.count <= state.waitingPins.count
    }
  }
}
