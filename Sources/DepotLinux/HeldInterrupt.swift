internal import Glibc
internal import Synchronization

/// Delays the effect of the user's interrupts (SIGINT) until an operation has finished.
///
/// It requires ``Terminal/exitOnInterrupt()``. While it is held, the first interrupt only raises
/// ``signal``; a second one ends the program with status 130.
package final class HeldInterrupt: Sendable {
  /// Wakes waiting threads after an interrupt.
  package let signal: WakeSignal

  package init() throws(SystemError) {
    signal = try WakeSignal(isBlocking: false)
  }

  deinit { release() }

  /// Whether there was an interrupt while it was held.
  package var isRaised: Bool { HeldInterrupt.wasRaised.load(ordering: .sequentiallyConsistent) }

  /// Starts to delay interrupts.
  package func hold() {
    HeldInterrupt.holder.store(signal.descriptor.number, ordering: .sequentiallyConsistent)
  }

  /// Lets interrupts end the program again.
  package func release() {
    HeldInterrupt.holder.store(-1, ordering: .sequentiallyConsistent)
  }

  /// The descriptor of the held signal; -1 if there is none.
  private static let holder = Atomic<Int32>(-1)
  private static let wasRaised = Atomic(false)

  /// Raises the signal; signal handlers may call it.
  ///
  /// - Returns: Whether the interrupt must not end the program.
  static func take() -> Bool {
    let descriptor = holder.load(ordering: .sequentiallyConsistent)
    guard descriptor >= 0, !wasRaised.exchange(true, ordering: .sequentiallyConsistent) else {
      return false
    }
    WakeSignal.raise(descriptor)
    return true
  }

  /// Initializes the static variables, which a signal handler must not do.
  static func prepare() {
    wasRaised.store(false, ordering: .sequentiallyConsistent)
    holder.store(-1, ordering: .sequentiallyConsistent)
  }
}
