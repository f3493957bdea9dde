internal import DepotLinux
package import DepotProtocol
internal import Synchronization

/// A snapshot of a store that many reads share: an open transaction on a reader's connection.
///
/// All methods may be called from any thread.
package final class SharedSnapshot: Sendable {
  /// The facts about the snapshot.
  package struct Facts: Sendable {
    /// The schema in the snapshot.
    package var catalog: Catalog
    /// The token of the last transaction in the snapshot; `nil` if the store keeps no history.
    package var token: String?
  }

  /// The time for which it is kept without reads.
  package let lease: SnapshotLease
  /// The monotonic time when it was requested.
  let began = Monotonic.now()
  /// The worker that has the transaction.
  let worker: ReadWorker
  private let state = Mutex(State())

  private struct State {
    var reads: [ObjectIdentifier: LongRead] = [:]
    var end: DepotError?
  }

  init(worker: ReadWorker, lease: SnapshotLease) {
    self.worker = worker
    self.lease = lease
  }

  /// The error with which the pin ended; `nil` if it hasn't.
  package var end: DepotError? { state.withLock { $0.end } }

  /// Adds a read that is about to begin.
  func add(_ read: LongRead) throws(DepotError) {
    let end = state.withLock { state in
      if state.end == nil { state.reads[ObjectIdentifier(read)] = read }
      return state.end
    }
    if let end { throw end }
  }

  /// Removes a read that has ended.
  func remove(_ read: LongRead) {
    state.withLock { _ = $0.reads.removeValue(forKey: ObjectIdentifier(read)) }
  }

  /// Marks the pin as ended and stops its reads; returns `false` if it had already ended.
  func stop(_ reason: DepotError) -> Bool {
    let reads: [LongRead]? = state.withLock { state in
      guard state.end == nil else { return nil }
      state.end = reason
      return Array(state.reads.values)
    }
    guard let reads else { return false }
    for read in reads { read.stop(reason) }
    return true
  }
}

extension DepotError {
  /// The error for reads of an expired pin.
  package static let pinExpired = DepotError(
    .streamExpired,
    "The pin doesn't exist: it expired, was ended, or belongs to another connection."
  )
  .hint(
    "Pin again and continue after the last row with \"after\"; rows come from a later snapshot."
  )

  /// The error for reads of a pin that was ended because the store's log became too long.
  static let pinTooLong = DepotError(
    .streamExpired,
    "The pin was ended because the store's log became too long."
  )
  .hint(
    "Pin again and continue after the last row with \"after\"; rows come from a later snapshot. "
      + "With a greater --log-mib of depotd, a pin lasts through more writes."
  )
}
