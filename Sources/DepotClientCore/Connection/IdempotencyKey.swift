internal import DepotLinux

/// The keys with which writes may be sent again: a service applies each of them once.
package enum IdempotencyKey {
  /// Returns a key that nobody else has.
  ///
  /// It begins with the time: a service finds room for the keys of one moment on one page.
  package static func make() -> String {
    let random = UInt64.random(in: .min ... .max)
    return "\(String(Clocks.wallMilliseconds(), radix: 36))-\(String(random, radix: 36))"
  }
}
