import DepotLinux
import Glibc
import TestSupport
import Testing

/// Programs that have the service inside themselves.
///
/// The tests of one process share it, so they come one after the other.
@Suite(.serialized) struct EmbeddedTests {
  static func leaveOutTheDefaultService() { setenv("DEPOT_EMBEDDED", "1", 0) }
}

/// Waits until something holds, looking every few milliseconds; returns whether it came to.
func holdsSoon(seconds: UInt64 = 10, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = Monotonic.now() + seconds * 1_000_000_000
  while Monotonic.now() < end {
    if try condition() { return true }
    Process.sleep(milliseconds: 2)
  }
  return false
}
