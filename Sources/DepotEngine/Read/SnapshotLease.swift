internal import Synchronization

/// The time for which a pinned snapshot is kept without reads.
///
/// A read that computes or waits for its time slice keeps the snapshot, however long that takes,
/// since the service may run other reads meanwhile; then only the length of the store's log limits
/// it. A stream whose client accepts no rows doesn't keep it.
///
/// All methods may be called from any thread.
package final class SnapshotLease: Sendable {
  /// The length of the lease in nanoseconds.
  package let nanoseconds: UInt64
  private let state = Mutex(State())

  private struct State {
    /// The monotonic time of the last use; `nil` until the snapshot is there.
    var lastUse: UInt64?
    var reads: [ObjectIdentifier: LongRead] = [:]
  }

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// Records that the snapshot is there or in use.
  package func use(at now: UInt64) { state.withLock { $0.lastUse = max($0.lastUse ?? 0, now) } }

  /// Adds a read that is about to begin.
  func add(_ read: LongRead) { state.withLock { $0.reads[ObjectIdentifier(read)] = read } }

  /// Removes a read that has ended.
  func remove(_ read: LongRead, at now: UInt64) {
    state.withLock { state in
      state.reads[ObjectIdentifier(read)] = nil
      if let lastUse = state.lastUse { state.lastUse = max(lastUse, now) }
    }
  }

  /// Returns whether the snapshot wasn't used for the lease's time.
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
