internal import DepotLinux
internal import Synchronization

/// The lateness of watches: the time from a commit until its frame is handed over.
///
/// A client that has no room is late by its own doing, and isn't counted while it has none.
final class WatchLateness: Sendable {
  private let state = Mutex(State())

  private struct State {
    var count = 0
    var nanoseconds: UInt64 = 0
    /// The longest of the present minute and of the one before.
    var longest: (now: UInt64, before: UInt64) = (0, 0)
    var minute: UInt64 = 0

    mutating func turn(to minute: UInt64) {
      guard minute > self.minute else { return }
      longest = (0, minute == self.minute + 1 ? longest.now : 0)
      self.minute = minute
    }
  }

  private static let minute: UInt64 = 60_000_000_000

  /// Notes that a watch was told of a change that was committed then, by the monotonic clock.
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

  /// How often watches were told, for how long they waited for it together, and the longest of the last minute
  /// or two, in seconds.
  var totals: (count: Int, seconds: Double, longest: Double) {
    state.withLock { state in
      state.turn(to: Monotonic.now() / Self.minute)
      let longest = max(state.longest.now, state.longest.before)
      return (state.count, Double(state.nanoseconds) / 1e9, Double(longest) / 1e9)
    }
  }
}

extension LiveQueries {
  /// The counts of watches.
  package struct Statistics: Hashable, Sendable {
    /// How many watches there are.
    package var current: Int
    /// How often watches were told of changes.
    package var told: Int
    /// How long they had waited for that together, in seconds.
    package var lateSeconds: Double
    /// How long one of them had waited at most, in the last minute or two.
    package var longestLateSeconds: Double
  }

  /// Counts the watches, and how late they are told.
  package nonisolated var statistics: Statistics {
    let totals = lateness.totals
    return Statistics(
      current: watchCount.load(ordering: .relaxed),
      told: totals.count,
      lateSeconds: totals.seconds,
      longestLateSeconds: totals.longest
    )
  }
}
