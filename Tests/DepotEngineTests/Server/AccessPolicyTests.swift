import DepotServer
import Testing

@testable import DepotLinux

@Suite struct AccessPolicyTests {
  private func role(
    _ policy: AccessPolicy,
    user: UInt32,
    group: UInt32 = 9,
    others: [UInt32] = []
  ) -> AccessPolicy.Role? {
    let peer = UnixSocket.Peer(
      process: 1,
      user: user,
      group: group,
      supplementaryGroups: others
    )
    return policy.role(of: peer, owner: 500)
  }

  @Test func `only the owner and root are let in by default`() {
    let policy = AccessPolicy()
    #expect(!policy.isShared)
    #expect(role(policy, user: 500) == .owner)
    #expect(role(policy, user: 0) == .owner)
    #expect(role(policy, user: 501) == nil)
  }

  @Test func `an allowed user or group may write but doesn't own`() {
    var policy = AccessPolicy()
    policy.allowedUsers = [501]
    policy.allowedGroups = [20]
    #expect(policy.isShared)
    #expect(role(policy, user: 501) == .writer)
    #expect(role(policy, user: 502, group: 20) == .writer)
    #expect(role(policy, user: 502, group: 21) == nil)
  }

  @Test func `a supplementary group counts as the primary one does`() {
    var policy = AccessPolicy()
    #expect(!policy.namesGroups)
    policy.allowedGroups = [20]
    #expect(policy.namesGroups)
    #expect(role(policy, user: 502, others: [7, 20]) == .writer)
    #expect(role(policy, user: 502, others: [7, 21]) == nil)
  }

  @Test func `a group of readers reads, unless its member may write as a user`() {
    var policy = AccessPolicy()
    policy.readOnlyGroups = [30]
    policy.allowedGroups = [20]
    policy.allowedUsers = [501]
    #expect(policy.isShared)
    #expect(role(policy, user: 502, group: 30) == .reader)
    #expect(role(policy, user: 502, group: 20, others: [30]) == .reader)
    #expect(role(policy, user: 501, group: 30) == .writer)
  }

  @Test func `to be named as a reader wins over being let in otherwise, but not over owning`() {
    var policy = AccessPolicy()
    policy.allowedUsers = [501]
    policy.allowedGroups = [20]
    policy.readOnlyUsers = [501, 502, 500]
    #expect(policy.isShared)
    #expect(role(policy, user: 501) == .reader)
    #expect(role(policy, user: 502, group: 20) == .reader)
    #expect(role(policy, user: 500) == .owner)
  }
}
