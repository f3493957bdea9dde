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
