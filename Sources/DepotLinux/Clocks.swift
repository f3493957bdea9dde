internal import CDepotLinux
internal import Glibc

/// The two clocks by which a service knows the time, read together.
package struct ClockReading: Hashable, Sendable {
  /// The wall clock, which may jump, in seconds since 2001.
  package var wall: Double
  /// The seconds since the machine was started, asleep or awake, which nobody can set.
  package var boot: Double
  /// The name of that start, which no other start of a machine has.
  package var bootName: String

  package init(wall: Double, boot: Double, bootName: String) {
    self.wall = wall
    self.boot = boot
    self.bootName = bootName
  }
}

/// Something that tells the time.
package struct Clocks: Sendable {
  /// Reads the clocks.
  package let read: @Sendable () -> ClockReading

  package init(_ read: @escaping @Sendable () -> ClockReading) { self.read = read }

  /// The machine's own clocks.
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

  /// The name of the machine's start; empty if the system tells none.
  private static let bootName: String = {
    guard let file = try? StoredFile(path: "/proc/sys/kernel/random/boot_id"),
      let bytes = try? file.read(36, at: 0)
    else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }()
}
