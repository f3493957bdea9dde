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
    var target = sockaddr_un()
    target.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: name) }
    let size = socklen_t(2 + name.count)
    let bytes = Array(state.utf8)
    withUnsafePointer(to: &target) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = sendto(descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, size)
      }
    }
  }
}
