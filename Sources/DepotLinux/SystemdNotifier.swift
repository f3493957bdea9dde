internal import CDepotLinux
internal import Glibc

/// Messages to the service manager (sd_notify(3)), without libsystemd.
package struct SystemdNotifier: Sendable {
  private let address: String?
  /// The time within which the manager must receive `WATCHDOG=1`, in nanoseconds.
  ///
  /// It is `nil` if the manager doesn't watch this process (sd_watchdog_enabled(3)).
  package let watchdogNanoseconds: UInt64?

  /// Reads the manager's socket from `$NOTIFY_SOCKET`, and the watchdog time from `$WATCHDOG_USEC`.
  package init() {
    address = Process.environment("NOTIFY_SOCKET")
    let isMeant = Process.environment("WATCHDOG_PID").map { $0 == String(getpid()) } ?? true
    let microseconds = Process.environment("WATCHDOG_USEC").flatMap { UInt64($0) } ?? 0
    let isWatching = address != nil && isMeant && 1..<UInt64.max / 1000 ~= microseconds
    watchdogNanoseconds = isWatching ? microseconds * 1000 : nil
  }

  /// Sends lines such as `READY=1`; failures are ignored.
  package func send(_ state: String) {
    guard let address else { return }
    var name = Array(address.utf8)
    guard name.count <= UnixSocket.longestPath else { return }
    if name.first == UInt8(ascii: "@") { name[0] = 0 }
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let number = socket(AF_UNIX, type, 0)
    guard number >= 0 else { return }
    let descriptor = Descriptor(number)
    let bytes = Array(state.utf8)
    UnixSocket.withAddress(name) { address, _ in
      let size = socklen_t(2 + name.count)
      _ = sendto(descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, size)
    }
  }
}
