internal import CDepotLinux
internal import Glibc

/// TCP sockets on the loopback addresses, which only this machine can reach (ip(7), ipv6(7)).
package enum LoopbackSocket {
  /// The two loopback addresses.
  package enum Family: Hashable, Sendable, CaseIterable {
    /// 127.0.0.1.
    case v4
    /// ::1.
    case v6
  }

  /// Binds a socket to a port of a loopback address, and listens.
  ///
  /// The corresponding C functions are `bind` and `listen`.
  ///
  /// - Parameters:
  ///   - family: The loopback address.
  ///   - port: The port; 0 for any free port.
  /// - Returns: The socket, which is non-blocking.
  /// - Throws: ``SystemError``; EADDRINUSE if the port is in use, EACCES if only root may use it,
  ///   EADDRNOTAVAIL or EAFNOSUPPORT if the machine has no such address.
  package static func listen(
    _ family: Family,
    port: UInt16
  ) throws(SystemError) -> Descriptor {
    let type =
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let domain = family == .v4 ? AF_INET : AF_INET6
    let descriptor = Descriptor(
      try systemCall("socket") { depot_beyond_standard(socket(domain, type, 0)) }
    )
    // This also allows a port whose last connections are just being closed.
    try set(descriptor, SOL_SOCKET, SO_REUSEADDR)
    if family == .v6 { try set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
    try withAddress(family, port) { (address, size) throws(SystemError) in
      try systemCall("bind") { Glibc.bind(descriptor.number, address, size) }
    }
    try systemCall("listen") { Glibc.listen(descriptor.number, 512) }
    return descriptor
  }

  /// Connects to a port of a loopback address.
  ///
  /// The corresponding C function is `connect`.
  ///
  /// - Throws: ``SystemError``; ECONNREFUSED if no program listens there.
  package static func connect(
    _ family: Family,
    port: UInt16
  ) throws(SystemError) -> Descriptor {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let domain = family == .v4 ? AF_INET : AF_INET6
    let descriptor = Descriptor(
      try systemCall("socket") { depot_beyond_standard(socket(domain, type, 0)) }
    )
    try withAddress(family, port) { (address, size) throws(SystemError) in
      try systemCall("connect") { Glibc.connect(descriptor.number, address, size) }
    }
    return descriptor
  }

  /// Returns the port of a socket.
  ///
  /// The corresponding C function is `getsockname`.
  package static func port(of descriptor: Descriptor) throws(SystemError) -> UInt16 {
    try port { getsockname(descriptor.number, $0, $1) }
  }

  /// Returns the port at the other end of a connection.
  ///
  /// The corresponding C function is `getpeername`.
  package static func peerPort(of descriptor: Descriptor) throws(SystemError) -> UInt16 {
    try port { getpeername(descriptor.number, $0, $1) }
  }

  /// Disables the delay of small writes.
  ///
  /// The corresponding C function is `setsockopt` with `TCP_NODELAY`.
  package static func sendAtOnce(_ descriptor: Descriptor) {
    try? set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY)
  }

  private static func set(
    _ descriptor: Descriptor,
    _ level: Int32,
    _ option: Int32
  ) throws(SystemError) {
    var one: Int32 = 1
    try systemCall("setsockopt") {
      setsockopt(descriptor.number, level, option, &one, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  /// The port has the same offset in the addresses of both families.
  private static func port(
    _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) throws(SystemError) -> UInt16 {
    var storage = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    try withUnsafeMutablePointer(to: &storage) { pointer throws(SystemError) in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address throws(SystemError) in
        _ = try systemCall("getsockname") { ask(address, &size) }
      }
    }
    return UInt16(bigEndian: storage.sin6_port)
  }

  private static func withAddress(
    _ family: Family,
    _ port: UInt16,
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws(SystemError) -> Void
  ) throws(SystemError) {
    switch family {
    case .v4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = (0x7F00_0001 as UInt32).bigEndian
      try withPointer(to: &address, body)
    case .v6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      try withPointer(to: &address, body)
    }
  }

  private static func withPointer<Address>(
    to address: inout Address,
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws(SystemError) -> Void
  ) throws(SystemError) {
    let size = socklen_t(MemoryLayout<Address>.size)
    try withUnsafePointer(to: &address) { pointer throws(SystemError) in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer throws(SystemError) in
        try body(pointer, size)
      }
    }
  }
}

extension SystemError {
  /// Whether the address or port is in use (EADDRINUSE).
  package var isAddressInUse: Bool { code == EADDRINUSE }

  /// Whether the machine has no such address (EADDRNOTAVAIL, EAFNOSUPPORT).
  package var isMissingAddress: Bool { code == EADDRNOTAVAIL || code == EAFNOSUPPORT }
}
