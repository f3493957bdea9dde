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
