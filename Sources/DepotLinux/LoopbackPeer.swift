/// The users at the other end of loopback connections (proc_net(5)).
package enum LoopbackPeer {
  /// Returns the users whose sockets may be the other end of an accepted connection.
  ///
  /// The connection is identified by its two ports. There are several users only if other addresses
  /// have a connection with the same two ports, and none if the system doesn't list the connection.
  ///
  /// - Parameters:
  ///   - descriptor: The connection.
  ///   - port: The port at this end.
  /// - Returns: The identifiers of the users.
  package static func users(of descriptor: Descriptor, port: UInt16) -> Set<UInt32> {
    guard let peer = try? LoopbackSocket.peerPort(of: descriptor) else { return [] }
    var users: Set<UInt32> = []
    // An IPv6 socket can also have an IPv4 connection.
    for file in ["/proc/net/tcp", "/proc/net/tcp6"] {
      guard let bytes = FileSystem.contents(of: file, limit: 1 << 24) else { continue }
      for line in bytes.split(separator: UInt8(ascii: "\n")).dropFirst() {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 8)
        guard words.count > 7, Self.port(words[1]) == peer, Self.port(words[2]) == port,
          let user = UInt32(String(decoding: words[7], as: UTF8.self))
        else { continue }
        users.insert(user)
      }
    }
    return users
  }

  /// Returns the port of an address such as 0100007F:1F90.
  private static func port(_ address: ArraySlice<UInt8>) -> UInt16? {
    guard let colon = address.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return UInt16(String(decoding: address[(colon + 1)...], as: UTF8.self), radix: 16)
  }
}
