internal import CDepotLinux
internal import Glibc

/// Messages to the service manager (sd_notify(3)), without libsystemd.
package struct SystemdNotifier: Sendable {
  private let address: String?

  /// Finds the manager's socket in `$NOTIFY_SOCKET`.
  package init() {
    address = Process.environment("NOTIFY_SOCKET")
  }

  /// Sends lines such as `READY=1`; failures don't matter.
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
