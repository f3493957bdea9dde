internal import CDepotLinux
internal import Glibc

/// Stream sockets with a path (unix(7)).
package enum UnixSocket {
  /// The longest path that the kernel accepts, in bytes.
  package static let longestPath = 107

  /// The process at the other end of a connection, at the time when it connected.
  package struct Peer: Hashable, Sendable {
    package var process: Int32
    package var user: UInt32
    package var group: UInt32
    /// Its supplementary groups, if they were requested.
    package var supplementaryGroups: [UInt32] = []

    package init(
      process: Int32,
      user: UInt32,
      group: UInt32,
      supplementaryGroups: [UInt32] = []
    ) {
      self.process = process
      self.user = user
      self.group = group
      self.supplementaryGroups = supplementaryGroups
    }
  }

  /// Connects to the socket at `path`.
  ///
  /// The corresponding C function is `connect`.
  ///
  /// - Parameters:
  ///   - path: The socket.
  ///   - waits: Whether connecting, sending, and reading block.
  /// - Returns: The connection.
  /// - Throws: ``SystemError``; ENAMETOOLONG if the path is over ``longestPath``, EAGAIN if the
  ///   service's queue is full.
  package static func connect(
    path: String,
    waits: Bool = true
  ) throws(SystemError) -> Descriptor {
    let descriptor = try create(flags: waits ? 0 : Int32(SOCK_NONBLOCK.rawValue))
    try withAddress(path) { (address, size) throws(SystemError) in
      try systemCall("connect") { Glibc.connect(descriptor.number, address, size) }
    }
    return descriptor
  }

  /// Binds a socket to `path` with access for its owner only, and listens.
  ///
  /// The corresponding C functions are `bind` and `listen`.
  ///
  /// - Throws: ``SystemError``; EADDRINUSE if the path exists.
  package static func listen(path: String) throws(SystemError) -> Descriptor {
    let descriptor = try create(flags: Int32(SOCK_NONBLOCK.rawValue))
    // bind(2) makes the file with the mode that the socket has now.
    try systemCall("fchmod") { fchmod(descriptor.number, 0o600) }
    try withAddress(path) { (address, size) throws(SystemError) in
      try systemCall("bind") { Glibc.bind(descriptor.number, address, size) }
    }
    try systemCall("listen") { Glibc.listen(descriptor.number, 4096) }
    return descriptor
  }

  /// Accepts one connection and makes it non-blocking.
  ///
  /// The corresponding C function is `accept4`.
  ///
  /// - Throws: ``SystemError``; EAGAIN if no client waits, EMFILE if there are no more descriptors.
  package static func accept(from listener: Descriptor) throws(SystemError) -> Descriptor {
    Descriptor(try systemCall("accept4") { depot_accept(listener.number) })
  }

  /// Returns the process at the other end.
  ///
  /// The corresponding C function is `getsockopt`.
  package static func peer(of descriptor: Descriptor) throws(SystemError) -> Peer {
    var peer = depot_peer()
    try systemCall("getsockopt") { depot_peer_credentials(descriptor.number, &peer) }
    return Peer(process: peer.pid, user: peer.uid, group: peer.gid)
  }

  /// Returns the supplementary groups of the process at the other end.
  ///
  /// There are at most 65,536. The corresponding C function is `getsockopt` with `SO_PEERGROUPS`.
  ///
  /// - Throws: ``SystemError``; ENOPROTOOPT if the kernel is older than Linux 4.13.
  package static func supplementaryGroups(
    of descriptor: Descriptor
  ) throws(SystemError) -> [UInt32] {
    var groups = [UInt32](repeating: 0, count: 64)
    while true {
      var size = socklen_t(groups.count * MemoryLayout<UInt32>.size)
      let code = depot_peer_groups(descriptor.number, &groups, &size)
      let count = min(Int(size) / MemoryLayout<UInt32>.size, 1 << 16)
      if code == 0 { return Array(groups.prefix(count)) }
      guard errno == ERANGE, count > groups.count else {
        throw SystemError(call: "getsockopt", code: errno)
      }
      groups = [UInt32](repeating: 0, count: count)
    }
  }

  /// Returns two sockets that are connected with each other; the second is non-blocking.
  ///
  /// The corresponding C function is `socketpair`.
  package static func pair() throws(SystemError) -> (Descriptor, Descriptor) {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    var numbers: [Int32] = [-1, -1]
    try systemCall("socketpair") { socketpair(AF_UNIX, type, 0, &numbers) }
    let (near, far) = (
      Descriptor(try systemCall("fcntl") { depot_beyond_standard(numbers[0]) }),
      Descriptor(try systemCall("fcntl") { depot_beyond_standard(numbers[1]) })
    )
    try far.setNonblocking()
    return (near, far)
  }

  private static func create(flags: Int32) throws(SystemError) -> Descriptor {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | flags
    return Descriptor(
      try systemCall("socket") { depot_beyond_standard(socket(AF_UNIX, type, 0)) }
    )
  }

  private static func withAddress(
    _ path: String,
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws(SystemError) -> Void
  ) throws(SystemError) {
    let bytes = Array(path.utf8)
    guard bytes.count <= longestPath, !bytes.contains(0) else {
      throw SystemError(call: "socket path", code: ENAMETOOLONG)
    }
    try withAddress(bytes, body)
  }

  /// Calls a function with the address of a socket's path, unless the path is too long.
  static func withAddress<Failure: Error>(
    _ name: [UInt8],
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Failure) -> Void
  ) throws(Failure) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    try withUnsafePointer(to: &address) { pointer throws(Failure) in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address throws(Failure) in
        try body(address, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
