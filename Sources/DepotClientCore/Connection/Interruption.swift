package import DepotLinux
package import DepotProtocol

/// The cancelling of writes when a program's user interrupts it, with a report of their outcome.
///
/// The first interruption of a write cancels it on the service, and the answer shows whether it was
/// stored. Another one ends the program, and so does one while nothing is written.
package final class Interruption {
  private var held: HeldInterrupt?
  /// Whether the service was asked to cancel.
  private var isCancelSent = false
  private var isSlow = false
  /// Whether the work consists of several writes.
  private var isHeldThroughout = false
  private let onWaiting: () -> Void

  /// How long the answer may take before the user sees a message about the wait, in milliseconds.
  private static let patience = 300

  /// Creates it; it has an effect only after ``Terminal/exitOnInterrupt()``.
  ///
  /// - Parameter onWaiting: Is called once if the answer takes its time.
  package init(onWaiting: @escaping () -> Void) {
    self.onWaiting = onWaiting
  }

  /// Whether a write was answered, and not with an error.
  package private(set) var hasWritten = false

  /// Whether a write was interrupted.
  package var isRaised: Bool { held?.isRaised ?? false }

  /// Holds interruptions back while `body` writes.
  ///
  /// - Throws: ``DepotError`` `cancelled.by_client` if there was one already; errors of `body`.
  func hold<Result>(_ body: () throws -> Result) throws -> Result {
    try begin()
    return try end(body)
  }

  /// Holds interruptions back while `body` makes several writes; one stops the next write.
  ///
  /// - Throws: ``DepotError`` `cancelled.by_client` if there was one already; errors of `body`.
  package func holdThroughout<Result>(_ body: () throws -> Result) throws -> Result {
    try begin()
    isHeldThroughout = true
    defer {
      isHeldThroughout = false
      held?.release()
    }
    return try body()
  }

  /// Waits until there is something to read, or an interruption.
  ///
  /// - Parameter descriptor: Where to read; not waited for if `nil`.
  /// - Throws: ``DepotError`` `cancelled.by_client` if there was an interruption.
  package func awaitInput(from descriptor: Descriptor?) throws(DepotError) {
    while true {
      if isRaised { throw Self.cancelled }
      guard let held, let descriptor,
        !Poll.wait(for: descriptor, wantsWrite: false, or: held.signal, milliseconds: nil).canRead
      else { return }
    }
  }

  private static let cancelled = DepotError(
    .cancelled,
    "There was an interruption, so nothing more was sent."
  )

  /// Holds interruptions back until ``end(_:)``.
  ///
  /// - Throws: ``DepotError`` `cancelled.by_client` if there was one already.
  func begin() throws(DepotError) {
    if isRaised { throw Self.cancelled }
    let held = self.held ?? (try? HeldInterrupt())
    self.held = held
    held?.hold()
  }

  /// Holds interruptions back until `body`, which writes or waits for its outcome, has ended.
  ///
  /// - Throws: Errors of `body`.
  func end<Result>(_ body: () throws -> Result) throws -> Result {
    defer {
      if !isHeldThroughout { held?.release() }
      isSlow = isCancelSent
    }
    do {
      let result = try body()
      hasWritten = true
      return result
    } catch var error as DepotError where error.code == .cancelled && isCancelSent {
      if error.effect == .none {
        error.message = "The interruption came before the change was stored."
      }
      throw error
    }
  }

  /// Waits until there is something to read, or until a time; returns `false` if the call has to be
  /// cancelled first.
  func wait(for descriptor: Descriptor, until end: UInt64?) -> Bool {
    guard let held else { return true }
    while true {
      if held.isRaised, !isCancelSent {
        held.signal.consume()
        isCancelSent = true
        return false
      }
      let isPatient = isCancelSent && !isSlow
      let left = end.map { Monotonic.milliseconds(until: $0) }
      if left == 0 { return true }
      let ready = Poll.wait(
        for: descriptor,
        wantsWrite: false,
        or: held.signal,
        milliseconds: isPatient ? min(Self.patience, left ?? Self.patience) : left
      )
      if ready.canRead { return true }
      if isPatient {
        isSlow = true
        onWaiting()
      }
    }
  }
}
