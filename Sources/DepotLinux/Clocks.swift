internal import CDepotLinux
internal import Glibc

/// A reading of the two clocks that a service uses.
package struct ClockReading: Hashable, Sendable {
  /// The wall clock, which may jump, in seconds since 2001.
  package var wall: Double
  /// The seconds since the machine started, including sleep; it can't be set.
  package var boot: Double
  /// The identifier of the machine's last start, different for each start.
  package var bootName: String

  package init(wall: Double, boot: Double, bootName: String) {
    self.wall = wall
    self.boot = boot
    self.bootName = bootName
  }
}

/// A source of the current time.
package struct Clocks: Sendable {
  /// Reads the clocks.
  package let read: @Sendable () -> ClockReading

  package init(_ read: @escaping @Sendable () -> ClockReading) { self.read = read }

  /// The clocks of the machine.
  package static let system = Clocks {
    ClockReading(
      wall: seconds(CLOCK_REALTIME) - 978_307_200,
      boot: seconds(CLOCK_BOOTTIME),
      bootName: bootName
    )
  }

  /// Reads the machine's wall clock, in milliseconds since 1970-01-01T00:00:00Z.
  package static func wallMilliseconds() -> Int64 { Int64(seconds(CLOCK_REALTIME) * 1000) }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The identifier of the machine's start; empty if the system has none.
  private static let bootName: String = {
    guard let file = try? StoredFile(path: "/proc/sys/kernel/random/boot_id"),
      let bytes = try? file.read(36, at: 0)
    else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }()
}
