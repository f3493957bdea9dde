/// Decides when the write-ahead log is copied into the database.
struct CheckpointPolicy {
  private let limit: Int
  private var next: Int
  private var last = 0

  init(limitPages: Int) {
    limit = limitPages
    next = limitPages
  }

  /// Returns whether to copy a log with a number of pages now.
  mutating func isDue(pages: Int) -> Bool {
    // A log that is shorter than before was restarted.
    if pages < last { next = limit }
    last = pages
    return pages >= next
  }

  /// Waits for some more pages, in case readers have prevented a complete checkpoint.
  mutating func didCheckpoint(pages: Int) {
    next = pages + max(1, limit / 8)
  }
}
