internal import DepotLinux
internal import Synchronization

/// The lateness of watches: the time from a commit until its frame is sent.
///
/// While a client doesn't accept frames, its time isn't counted.
final class WatchLateness: Sendable {
  private let state = Mutex(State())

  private struct State {
    var count = 0
    var nanoseconds: UInt64 = 0
    /// The longest lateness in the current minute and in the previous one.
    var longest: (now: UInt64, before: UInt64) = (0, 0)
    var minute: UInt64 = 0

    mutating func turn(to minute: UInt64) {
      guard minute > self.minute else { return }
      longest = (0, minute == self.minute + 1 ? longest.now : 0)
      self.minute = minute
    }
  }

  private static let minute: UInt64 = 60_000_000_000

  /// Adds a frame sent for a change that was committed at a monotonic time.
  func note(since time: UInt64) {
    let now = Monotonic.now()
    let duration = now > time ? now - time : 0
    state.withLock { state in
      state.turn(to: now / Self.minute)
      state.count += 1
      state.nanoseconds += duration
      state.longest.now = max(state.longest.now, duration)
    }
  }

  /// The number of sent frames of changes, their total lateness, and the longest one recently.
  ///
  /// The latter is of the last minute or two; all times are in seconds.
  var totals: (count: Int, seconds: Double, longest: Double) {
    state.withLock { state in
      state.turn(to: Monotonic.now() / Self.minute)
      let longest = max(state.longest.now, state.longest.before)
      return (state.count, Double(state.nanoseconds) / 1e9, Double(longest) / 1e9)
    }
  }
}

extension LiveQueries {
  /// Counts about watches.
  package struct Statistics: Hashable, Sendable {
    /// The number of watches.
    package var current: Int
    /// The number of sent frames of changes.
    package var notified: Int
    /// Their total lateness in seconds.
    package var lateSeconds: Double
    /// The longest lateness in the last minute or two, in seconds.
    package var longestLateSeconds: Double
  }

  /// The number of watches, and their lateness.
  package nonisolated var statistics: Statistics {
    let totals = lateness.totals
    return Statistics(
      current: watchCount.load(ordering: .relaxed),
      notified: totals.count,
      lateSeconds: totals.seconds,
      longestLateSeconds: totals.longest
    )
  }
}
