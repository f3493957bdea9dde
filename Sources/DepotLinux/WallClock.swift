internal import CDepotLinux
internal import Glibc

/// The time of day, which may jump.
package enum WallClock {
  /// Returns the seconds since 1970-01-01T00:00:00Z.
  package static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec)
  }
}
