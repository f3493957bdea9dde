import Foundation
import TestSupport
import Testing

extension ClusterTests {
  /// Databases that a service refuses, and says why.
  @Suite(.serialized, .cluster()) struct UnfitClusterTests {
    /// Starts a service that ends, and returns what it says.
    private func refusal(
      of cluster: TemporaryCluster,
      database: String = "postgres",
      user: String = "depot"
    )
      async throws -> String
    {
      let address = ClusterService.address(of: [cluster], database: database)
        .replacing("user=depot", with: "user=\(user)")
      let folder = try TemporaryFolder()
      let command = [Programs.daemon, "--socket", folder.path + "/s", "--store", address]
      let outcome = try await onThread {
        try Program.run(command + ["--cache", folder.path + "/cache"])
      }
      #expect(outcome.status != 0)
      return outcome.errors
    }

    @Test func `a cluster that flushes nothing`() async throws {
      let cluster = try TemporaryCluster.shared
      try cluster.configure(["fsync": "off"])
      #expect(try await refusal(of: cluster).contains("fsync = off"))
      try cluster.configure(["fsync": "on"])
    }

    @Test func `a database with another encoding`() async throws {
      let cluster = try TemporaryCluster.shared
      try cluster.sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
      #expect(try await refusal(of: cluster, database: "latin").contains("LATIN1, not UTF8"))
    }

    @Test func `a standby`() async throws {
      let cluster = try TemporaryCluster.shared
      let standby = try await onThread { try cluster.makeStandby(named: "n2") }
      #expect(try await refusal(of: standby).contains("is a standby"))
    }

    @Test func `a role that may not make tables`() async throws {
      let cluster = try TemporaryCluster.shared
      try cluster.sql("CREATE DATABASE plain")
      try cluster.sql("CREATE ROLE nobody LOGIN")
      let refusal = try await refusal(of: cluster, database: "plain", user: "nobody")
      #expect(refusal.contains("may not make the tables"), "\(refusal)")
      #expect(refusal.contains("GRANT CREATE"), "\(refusal)")
    }

    @Test func `a store of another version`() async throws {
      let cluster = try TemporaryCluster.shared
      try cluster.sql("CREATE DATABASE versions")
      let address = ClusterService.address(of: [cluster], database: "versions")
      let folder = try TemporaryFolder()
      let process = try TestProcess(
        [
          Programs.daemon, "--socket", folder.path + "/s", "--store", address, "--cache",
          folder.path,
        ],
        errors: .nothing
      )
      try await expectSoon { (try? LineConnection(folder.path + "/s")) != nil }
      process.kill()
      try cluster.sql("UPDATE depot.head SET layout = layout + 1", database: "versions")
      let refusal = try await refusal(of: cluster, database: "versions")
      #expect(refusal.contains("of another version of Depot: 2."), "\(refusal)")
    }
  }
}
