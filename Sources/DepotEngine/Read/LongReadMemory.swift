/// Which queries turned out long, so that they aren't tried in vain each time.
struct LongReadMemory {
  /// After how many uses a query gets another try, since tables and indexes change.
  private static let pause = 50
  private static let capacity = 256
  private var entries: [String: Entry] = [:]

  private struct Entry {
    /// How many uses were to be skipped when it was last noted.
    var pause: Int
    /// How many uses are left to skip.
    var skips: Int
    /// Whether the query is too long even for a thread that has nothing else to do.
    var isLongAlone: Bool
  }

  /// Looks up whether a query isn't worth a try; `isAlone` if the thread has nothing else to do.
  mutating func mustSkip(_ sql: String, isAlone: Bool) -> Bool {
    guard let entry = entries[sql], entry.skips > 0, entry.isLongAlone || !isAlone else {
      return false
    }
    entries[sql]?.skips -= 1
    return true
  }

  /// Notes that a query is long, even with nothing else to do for the thread if `evenAlone`.
  ///
  /// If its answer isn't too large, it may have been long only because its pages had to be read, so
  /// it gets more tries at first.
  mutating func remember(_ sql: String, evenAlone: Bool, isTooLarge: Bool = false) {
    if entries.count >= Self.capacity { entries = [:] }
    let before = entries[sql]?.pause ?? 0
    let pause = evenAlone && !isTooLarge ? min(Self.pause, max(1, 2 * before)) : Self.pause
    entries[sql] = Entry(pause: pause, skips: pause, isLongAlone: evenAlone)
  }

  /// Notes that a query was short.
  mutating func forget(_ sql: String) {
    if !entries.isEmpty { entries[sql] = nil }
  }
}
