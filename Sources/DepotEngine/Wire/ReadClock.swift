internal import DepotLinux

/// The time limit after which a read counts as long.
///
/// The limit is the budget. While no other work waits, a patient clock allows more, because
/// continuing is cheaper than restarting on another thread.
final class ReadClock {
  /// The interval in nanoseconds between checks for other work after the budget.
  private static let pause: UInt64 = 50_000

  /// Whether reads may exceed their budget.
  var isPatient = false
  private let budget: UInt64
  private let patience: UInt64
  private let isAwaited: () -> Bool
  /// The times of the next check and of the final limit.
  private var end: UInt64 = 0
  private var last: UInt64 = 0

  /// Creates a clock with a budget in nanoseconds, or `patience` while no other work waits.
  init(_ budget: UInt64, patience: UInt64, isAwaited: @escaping () -> Bool) {
    self.budget = budget
    self.patience = patience
    self.isAwaited = isAwaited
  }

  func restart() {
    let now = Monotonic.now()
    end = now + budget
    last = isPatient ? max(end, now + patience) : end
  }

  /// Removes the time limit.
  func stop() { (end, last) = (.max, .max) }

  var isOver: Bool {
    let now = Monotonic.now()
    if now <= end { return false }
    if now > last || isAwaited() {
      // Later checks give the same answer.
      last = end
      return true
    }
    end = min(now + Self.pause, last)
    return false
  }
}
