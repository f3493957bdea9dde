import DepotProtocol
import TestSupport
import Testing

@testable import DepotEngine

/// The databases in which no store is kept.
@Suite(.enabled(if: TemporaryCluster.isAvailable), .serialized, .cluster())
struct ClusterOpeningTests {
  @Test func `a cluster that doesn't flush is refused`() async throws {
    let cluster = try await onThread { try TemporaryCluster(settings: ["fsync": "off"]) }
    let error = try refusal(cluster.address())
    #expect(error.code == .unfitCluster)
    #expect(error.message.contains("fsync = off"))
  }

  @Test func `a database of another encoding is refused`() async throws {
    let cluster = try TemporaryCluster.shared
    try cluster.sql("CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0")
    let error = try refusal(cluster.address(database: "ascii"))
    #expect(error.code == .unfitCluster)
    #expect(error.message.contains("SQL_ASCII"))
  }

  @Test func `a standby is refused`() async throws {
    let cluster = try TemporaryCluster.shared
    let standby = try await onThread { try cluster.makeStandby(named: "standby") }
    let error = try refusal(standby.address())
    #expect(error.code == .unfitCluster)
    #expect(error.message.contains("standby"))
  }

  @Test func `a role without rights is refused`() async throws {
    let cluster = try TemporaryCluster.shared
    try cluster.sql("CREATE ROLE guest LOGIN")
    try cluster.sql("CREATE DATABASE foreign_rights")
    let address = cluster.address(database: "foreign_rights")
      .replacing("user=depot", with: "user=guest")
    let error = try refusal(address)
    #expect(error.code == .unfitCluster)
    #expect(error.hint?.contains("GRANT") == true)
  }

  @Test func `a store of another version is refused, and stays as it is`() async throws {
    let cluster = try TemporaryCluster.shared
    try cluster.sql("CREATE DATABASE versions")
    let address = cluster.address(database: "versions")
    try await open(address).close()
    try cluster.sql("UPDATE depot.head SET layout = 99", database: "versions")
    let error = try refusal(address)
    #expect(error.code == .unfitCluster)
    #expect(error.message.contains("another version"))
    #expect(try cluster.sql("SELECT layout FROM depot.head", database: "versions") == "99")
  }

  /// Returns the error with which a store isn't opened.
  private func refusal(_ address: String) throws -> DepotError {
    try #require(throws: DepotError.self) { try open(address) }
  }

  @discardableResult
  private func open(_ address: String) throws -> Store {
    let folder = try TemporaryFolder()
    var configuration = StoreConfiguration(path: folder.path + "/copy")
    configuration.cluster = try ClusterAddress(address)
    return try Store(
      configuration: configuration,
      onCommit: { _ in },
      onFatal: { Issue.record("\($0)") }
    )
  }
}
