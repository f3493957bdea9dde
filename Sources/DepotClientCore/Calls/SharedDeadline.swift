internal import DepotLinux
package import DepotProtocol

/// The deadline of a request that takes several calls.
package struct SharedDeadline: Sendable {
  /// The time on the monotonic clock; `nil` if there is none.
  let end: UInt64?

  package init(_ duration: Duration?) {
    end = duration.map { Monotonic.deadline(after: $0.milliseconds) }
  }

  /// Returns how long the next call may take.
  ///
  /// - Throws: ``DepotError`` `deadline.passed` if there is no time left.
  package func rest() throws(DepotError) -> Duration? {
    guard let end else { return nil }
    let left = Monotonic.milliseconds(until: end)
    guard left > 0 else {
      throw DepotError(.deadline, "The deadline passed before all calls of the request were made.")
    }
    return .milliseconds(left)
  }
}
