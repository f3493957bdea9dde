package import DepotLinux

/// The users who may use the service, and their roles.
package struct AccessPolicy: Hashable, Sendable {
  /// The rights of a peer.
  package enum Role: Hashable, Sendable {
    /// Everything, also to end the service.
    case owner
    /// Read and write.
    case writer
    /// Read.
    case reader
  }

  /// The users that may read and write besides the owner and root.
  package var allowedUsers: Set<UInt32> = []
  /// The groups whose members may read and write, by their primary group.
  package var allowedGroups: Set<UInt32> = []
  /// The users that may read.
  package var readOnlyUsers: Set<UInt32> = []

  package init() {}

  /// Whether anybody but the owner and root is let in.
  package var isShared: Bool {
    !(allowedUsers.isEmpty && allowedGroups.isEmpty && readOnlyUsers.isEmpty)
  }

  /// Lets in also those whom another policy lets in.
  mutating func formUnion(_ other: AccessPolicy) {
    allowedUsers.formUnion(other.allowedUsers)
    allowedGroups.formUnion(other.allowedGroups)
    readOnlyUsers.formUnion(other.readOnlyUsers)
  }

  /// Returns what a peer may do, or `nil` if it isn't let in.
  package func role(of peer: UnixSocket.Peer, owner: UInt32) -> Role? {
    if peer.user == owner || peer.user == 0 { return .owner }
    if readOnlyUsers.contains(peer.user) { return .reader }
    if allowedUsers.contains(peer.user) || allowedGroups.contains(peer.group) { return .writer }
    return nil
  }
}
