internal import DepotLinux
package import DepotProtocol
internal import Synchronization

/// Stops a call while it runs, when its client cancels it or its deadline passes.
package final class CallControl: Sendable {
  private let isStopped = Atomic(false)
  private let scanned = Atomic(-1)
  private let isDone = Atomic(false)
  /// The monotonic time in nanoseconds at which the client stops waiting.
  package let deadline: UInt64

  /// A control for calls that can't be stopped.
  package static let unstoppable = CallControl()

  package init(deadline: UInt64 = .max) {
    self.deadline = deadline
  }

  /// Asks the call to end; it does so with `cancelled.by_client` unless it has finished.
  package func cancel() {
    isStopped.store(true, ordering: .relaxed)
  }

  /// The number of rows that the call visited in full scans; `nil` if it did none.
  package var scannedRows: Int? {
    let count = scanned.load(ordering: .relaxed)
    return count < 0 ? nil : count
  }

  /// Adds rows visited in a full scan; only one thread at a time may call it.
  func noteScanned(rows: Int) {
    scanned.store((scannedRows ?? 0) + rows, ordering: .relaxed)
  }

  /// Whether it is a write that is known to have succeeded.
  var hasSucceeded: Bool { isDone.load(ordering: .relaxed) }

  /// Stores whether a write succeeded, which later writes that depend on it check.
  package func noteOutcome(isSuccess: Bool) { isDone.store(isSuccess, ordering: .relaxed) }

  package var isCancelled: Bool { isStopped.load(ordering: .relaxed) }

  /// Checks that the call was neither cancelled nor is past its deadline.
  package func check() throws(DepotError) {
    if isCancelled { throw DepotError(.cancelled, "The client cancelled the call.") }
    if deadline != .max, Monotonic.now() >= deadline {
      throw DepotError(.deadline, "The deadline passed before the call was done.")
        .hint("Allow more time, or ask for less.")
    }
  }
}
