internal import DepotLinux
package import DepotProtocol
internal import Synchronization

/// The control by which a call is stopped while it runs, by its client's word or its deadline.
package final class CallControl: Sendable {
  private let isStopped = Atomic(false)
  private let scanned = Atomic(-1)
  private let isDone = Atomic(false)
  /// The monotonic time in nanoseconds at which the client stops waiting.
  package let deadline: UInt64

  /// A control of calls that are answered before anybody could stop them.
  package static let unstoppable = CallControl()

  package init(deadline: UInt64 = .max) {
    self.deadline = deadline
  }

  /// Asks the call to end; it does so with `cancelled.by_client` unless it has finished.
  package func cancel() {
    isStopped.store(true, ordering: .relaxed)
  }

  /// How many rows the call has looked at one after the other; `nil` if it hasn't looked for any.
  package var scannedRows: Int? {
    let count = scanned.load(ordering: .relaxed)
    return count < 0 ? nil : count
  }

  /// Adds rows that the call has looked at one after the other; one thread at a time may do so.
  func noteScanned(rows: Int) {
    scanned.store((scannedRows ?? 0) + rows, ordering: .relaxed)
  }

  /// Whether it is a write that has succeeded, as far as it is known.
  var hasSucceeded: Bool { isDone.load(ordering: .relaxed) }

  /// Notes the outcome of a write, which dependent later writes check.
  package func noteOutcome(isSuccess: Bool) { isDone.store(isSuccess, ordering: .relaxed) }

  package var isCancelled: Bool { isStopped.load(ordering: .relaxed) }

  /// Checks that the call was neither cancelled nor is past its deadline.
  package func check() throws(DepotError) {
    if isCancelled { throw DepotError(.cancelled, "The client cancelled the call.") }
    if deadline != .max, Monotonic.now() >= deadline {
      throw DepotError(.deadline, "The deadline passed before the call was done.")
        .hint("Nothing was changed; allow more time, or ask for less.")
    }
  }
}
