package import DepotLinux

/// The users who may use the service, and their roles.
package struct AccessPolicy: Hashable, Sendable {
  /// The rights of a peer.
  package enum Role: Hashable, Sendable {
    /// Everything, including the end of the service.
    case owner
    /// Read and write.
    case writer
    /// Read.
    case reader
  }

  /// The users that may read and write besides the owner and root.
  package var allowedUsers: Set<UInt32> = []
  /// The groups whose members may read and write.
  package var allowedGroups: Set<UInt32> = []
  /// The users that may read.
  package var readOnlyUsers: Set<UInt32> = []
  /// The groups whose members may read.
  package var readOnlyGroups: Set<UInt32> = []

  package init() {}

  /// Whether users other than the owner and root are admitted.
  package var isShared: Bool {
    !(allowedUsers.isEmpty && readOnlyUsers.isEmpty) || namesGroups
  }

  /// Whether the groups of a peer matter.
  package var namesGroups: Bool { !(allowedGroups.isEmpty && readOnlyGroups.isEmpty) }

  /// Also admits the users and groups of another policy.
  mutating func formUnion(_ other: AccessPolicy) {
    allowedUsers.formUnion(other.allowedUsers)
    allowedGroups.formUnion(other.allowedGroups)
    readOnlyUsers.formUnion(other.readOnlyUsers)
    readOnlyGroups.formUnion(other.readOnlyGroups)
  }

  /// Returns a peer's role, or `nil` if it isn't admitted.
  ///
  /// A rule for a user precedes rules for its groups, and reading precedes writing.
  package func role(of peer: UnixSocket.Peer, owner: UInt32) -> Role? {
    if peer.user == owner || peer.user == 0 { return .owner }
    if readOnlyUsers.contains(peer.user) { return .reader }
    if allowedUsers.contains(peer.user) { return .writer }
    let groups = [peer.group] + peer.supplementaryGroups
    if groups.contains(where: readOnlyGroups.contains) { return .reader }
    return groups.contains(where: allowedGroups.contains) ? .writer : nil
  }
}
