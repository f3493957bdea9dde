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
  static func add(_ slots: consuming ObjectSlots) {
    let values = ofThread.object
    if values.isAtWork { return values.waiting.append(slots.all) }
    values.isAtWork = true
    // Objects that end in here add their own.
    _ = consume slots
    while let next = values.waiting.popLast() { withExtendedLifetime(next) {} }
    values.isAtWork = false
  }
}
