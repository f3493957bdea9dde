internal import DepotLinux

/// The values of objects that have ended, which the thread releases one after the other.
///
/// Otherwise an object that alone kept another one alive would end that inside its own `deinit`,
/// and a long chain of objects would overflow the stack.
final class EndingValues {
  private static let ofThread = ThreadLocal { EndingValues() }

  private var waiting: [[Slot]] = []
  private var isAtWork = false

  /// Releases the values of an object that ends.
  static func add(_ slots: consuming [Slot]) {
    let values = ofThread.object
    values.waiting.append(slots)
    if values.isAtWork { return }
    values.isAtWork = true
    // Objects that end in here add their own.
    while let next = values.waiting.popLast() { withExtendedLifetime(next) {} }
    values.isAtWork = false
  }
}
