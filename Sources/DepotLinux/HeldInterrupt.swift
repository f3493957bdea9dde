internal import Glibc
internal import Synchronization

/// The user's interruptions (SIGINT) while something has to come to its end first.
///
/// It needs ``Terminal/exitOnInterrupt()``. While it is held, the first interruption raises
/// ``signal`` and no more; another one ends the program with status 130.
package final class HeldInterrupt: Sendable {
  /// Wakes waiting threads after an interruption.
  package let signal: WakeSignal

  package init() throws(SystemError) {
    signal = try WakeSignal(isBlocking: false)
  }

  deinit { release() }

  /// Whether there was an interruption while it was held.
  package var isRaised: Bool { HeldInterrupt.wasRaised.load(ordering: .sequentiallyConsistent) }

  /// Holds interruptions back from now on.
  package func hold() {
    HeldInterrupt.holder.store(signal.descriptor.number, ordering: .sequentiallyConsistent)
  }

  /// Lets them end the program again.
  package func release() {
    HeldInterrupt.holder.store(-1, ordering: .sequentiallyConsistent)
  }

  /// The descriptor of the signal that is held; -1 if there is none.
  private static let holder = Atomic<Int32>(-1)
  private static let wasRaised = Atomic(false)

  /// Raises the signal, with calls that a signal handler may make.
  ///
  /// - Returns: Whether that was all.
  static func take() -> Bool {
    let descriptor = holder.load(ordering: .sequentiallyConsistent)
    guard descriptor >= 0, !wasRaised.exchange(true, ordering: .sequentiallyConsistent) else {
      return false
    }
    WakeSignal.raise(descriptor)
    return true
  }

  /// Makes the variables, which a handler may not.
  static func prepare() {
    wasRaised.store(false, ordering: .sequentiallyConsistent)
    holder.store(-1, ordering: .sequentiallyConsistent)
  }
}
