internal import DepotLinux

extension Monotonic {
  /// Returns the whole milliseconds from one time to another, rounded up; 0 if that has passed.
  static func milliseconds(from start: UInt64 = now(), until end: UInt64) -> Int {
    end > start ? Int((end - start - 1) / 1_000_000) + 1 : 0
  }

  /// Returns the time that is so many milliseconds after now.
  static func deadline(after milliseconds: Int) -> UInt64 {
    now() + UInt64(milliseconds) * 1_000_000
  }
}

extension Duration {
  /// The duration in whole milliseconds, rounded up: 0 if it is negative, and 100 years if it is longer.
  var milliseconds: Int {
    let limit = 100 * 365 * 86400
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    guard seconds < limit else { return limit * 1000 }
    return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
