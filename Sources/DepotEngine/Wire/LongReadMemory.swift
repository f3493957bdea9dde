/// The queries that turned out to be long, so that they aren't tried as short ones each time.
struct LongReadMemory {
  /// The number of uses after which a query is tried again, since tables and indexes change.
  private static let pause = 50
  private static let capacity = 256
  private var entries: [String: Entry] = [:]

  private struct Entry {
    /// The number of uses to skip that was set last.
    var pause: Int
    /// The number of uses that are still to be skipped.
    var skips: Int
    /// Whether the query was too long even for a thread without other work.
    var isLongAlone: Bool
  }

  /// Whether to skip trying a query; `isAlone` if the thread has no other work.
  mutating func mustSkip(_ sql: String, isAlone: Bool) -> Bool {
    guard let entry = entries[sql], entry.skips > 0, entry.isLongAlone || !isAlone else {
      return false
    }
    entries[sql]?.skips -= 1
    return true
  }

  /// Records that a query is long, even for a thread without other work if `evenAlone`.
  ///
  /// If its answer isn't too large, it may have been long only because its pages had to be read
  /// from the disk, so it is tried more often at first.
  mutating func remember(_ sql: String, evenAlone: Bool, isTooLarge: Bool = false) {
    if entries.count >= Self.capacity { entries = [:] }
    let before = entries[sql]?.pause ?? 0
    let pause = evenAlone && !isTooLarge ? min(Self.pause, max(1, 2 * before)) : Self.pause
    entries[sql] = Entry(pause: pause, skips: pause, isLongAlone: evenAlone)
  }

  /// Records that a query was short.
  mutating func forget(_ sql: String) {
    if !entries.isEmpty { entries[sql] = nil }
  }
}
