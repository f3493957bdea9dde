internal import DepotLinux

/// The time after which a read counts as long.
///
/// That is its budget; but while nobody waits, a patient clock gives it more, because going on costs
/// less than beginning anew on another thread.
final class ReadClock {
  /// How often a read beyond its budget asks whether somebody waits, in nanoseconds.
  private static let pause: UInt64 = 50_000

  /// Whether reads may go on beyond their budget.
  var isPatient = false
  private let budget: UInt64
  private let patience: UInt64
  private let isAwaited: () -> Bool
  /// When to ask next, and when the time is over in any case.
  private var end: UInt64 = 0
  private var last: UInt64 = 0

  /// Creates a clock for reads of at most `budget` nanoseconds, or `patience` while nobody waits.
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

  /// Removes the limit of time.
  func stop() { (end, last) = (.max, .max) }

  var isOver: Bool {
    let now = Monotonic.now()
    if now <= end { return false }
    if now > last || isAwaited() {
      // The same answer is given to everybody who asks again.
      last = end
      return true
    }
    end = min(now + Self.pause, last)
    return false
  }
}
