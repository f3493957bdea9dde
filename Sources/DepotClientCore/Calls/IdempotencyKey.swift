internal import DepotLinux

/// The keys that make a write repeatable: a service applies each key once.
package enum IdempotencyKey {
  /// Returns a key that nobody else has.
  ///
  /// It begins with the time, so that keys of about the same time are on the same page of the
  /// service's table.
  package static func make() -> String {
    let random = UInt64.random(in: .min ... .max)
    return "\(String(Clocks.wallMilliseconds(), radix: 36))-\(String(random, radix: 36))"
  }
}
