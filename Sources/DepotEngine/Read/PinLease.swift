internal import Synchronization

/// The time for which a pinned moment is kept while nobody reads it.
///
/// A read that computes or waits for its turn keeps the moment however long it takes, since the
/// service may run for others meanwhile; the length of the store's log is the bound then. A stream
/// whose client takes no rows doesn't.
///
/// All methods may be called from any thread.
package final class PinLease: Sendable {
  /// How long it is, in nanoseconds.
  package let nanoseconds: UInt64
  private let state = Mutex(State())

  private struct State {
    /// When the moment was last used, by the monotonic clock; `nil` until it is there.
    var lastUse: UInt64?
    var reads: [ObjectIdentifier: LongRead] = [:]
  }

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// Takes note that the moment is there, or that it is used.
  package func use(at now: UInt64) { state.withLock { $0.lastUse = max($0.lastUse ?? 0, now) } }

  /// Takes note of a read that is to begin.
  func add(_ read: LongRead) { state.withLock { $0.reads[ObjectIdentifier(read)] = read } }

  /// Takes note that a read has ended.
  func remove(_ read: LongRead, at now: UInt64) {
    state.withLock { state in
      state.reads[ObjectIdentifier(read)] = nil
      if let lastUse = state.lastUse { state.lastUse = max(lastUse, now) }
    }
  }

  /// Returns whether the moment wasn't used for so long.
  package func isOver(at now: UInt64) -> Bool {
    let (lastUse, reads) = state.withLock { ($0.lastUse, Array($0.reads.values)) }
    guard var lastUse else { return false }
    for read in reads {
      guard let since = read.parkedSince else { return false }
      lastUse = max(lastUse, since)
    }
    return now > lastUse && now - lastUse >= nanoseconds
  }
}
