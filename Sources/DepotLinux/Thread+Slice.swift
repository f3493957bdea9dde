internal import CDepotLinux

/// How long a thread computes before others have their turn (sched_setattr(2)).
extension Thread {
  /// Long enough that any thread with the usual slice is ahead when it wakes, in nanoseconds.
  private static let long: UInt64 = 20_000_000

  /// Lets the calling thread give way at once to any other that wakes, though it computes for long.
  ///
  /// A kernel that finds a computing thread where another wakes lets it go on to the end of its slice,
  /// some milliseconds, unless its slice is the longer one. Kernels before Linux 6.12 don't know slices:
  /// this has no effect there.
  ///
  /// - Returns: Whether the kernel has accepted it.
  @discardableResult
  package static func giveWay() -> Bool { setSlice(long) }

  /// Lets the calling thread have its turns like others again.
  @discardableResult
  package static func takeTurns() -> Bool { setSlice(0) }

  /// The slice of the calling thread in nanoseconds; 0 where the kernel doesn't tell.
  package static var slice: UInt64 {
    var schedule = depot_schedule()
    return depot_get_schedule(&schedule) == 0 ? schedule.runtime : 0
  }

  private static func setSlice(_ nanoseconds: UInt64) -> Bool {
    var schedule = depot_schedule()
    guard depot_get_schedule(&schedule) == 0, schedule.policy == SCHED_OTHER else { return false }
    schedule.runtime = nanoseconds
    return depot_set_schedule(&schedule) == 0
  }
}
