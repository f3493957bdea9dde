internal import CDepotLinux

/// The time slice of a thread in the kernel's scheduler (sched_setattr(2)).
extension Thread {
  /// A slice longer than the usual one, so that threads that wake come first, in nanoseconds.
  private static let long: UInt64 = 20_000_000

  /// Makes other threads that wake run before the calling thread, which computes for long.
  ///
  /// Otherwise the kernel lets a computing thread run to the end of its slice, some milliseconds,
  /// before a thread that wakes on the same processor. It doesn't wait if the computing thread's
  /// slice is the longer one. This has no effect before Linux 6.12, which introduced slices.
  ///
  /// - Returns: Whether the kernel has accepted the slice.
  @discardableResult
  package static func giveWay() -> Bool { setSlice(long) }

  /// Restores the usual slice of the calling thread.
  @discardableResult
  package static func restoreSlice() -> Bool { setSlice(0) }

  /// The slice of the calling thread in nanoseconds; 0 if the kernel doesn't report it.
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
