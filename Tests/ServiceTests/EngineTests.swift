import DepotLinux
import DepotProtocol
import TestSupport
import Testing

extension ServiceTests {
  /// Differences between stores in files and in clusters.
  @Suite(.serialized) struct EngineTests {
    @Test func `the library of PostgreSQL is in services whose store is in a cluster alone`() throws
    {
      let daemon = try TestDaemon()
      try daemon.connect().fill(10)
      let path = "/proc/\(daemon.identifier)/maps"
      let bytes = try #require(FileSystem.contents(of: path, limit: 1 << 20))
      let maps = String(decoding: bytes, as: UTF8.self)
      #expect(maps.contains("libsqlite3"))
      #expect(maps.contains("libpq") == Programs.keepStoresInCluster)
    }

    @Test(.enabled(if: Programs.keepStoresInCluster))
    func `what a cluster has no place for is refused by name`() throws {
      let daemon = try TestDaemon()
      try daemon.connect().fill(10)
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "migration.begin", #"{"schema":\#(Self.second)}"#)
      let refusal = try connection.receive()["err"]
      #expect(refusal?["code"]?.string == "request.unsupported")
      #expect(refusal?["details"]?["capability"]?.string == "custom stages")
      #expect(refusal?["details"]?["engine"]?.string == "postgresql")
      #expect(try daemon.stats()["store"]?["rowsInserted"]?.int64 == 10)

      // An inferred migration is made, without a copy of a file.
      try connection.call(2, "schema.define", #"{"schema":\#(Self.second)}"#)
      let answer = try connection.receive()["ok"]
      #expect(answer?["version"]?.string == "2.0.0")
      #expect(answer != nil && answer?["backup"] == nil)

      let address = try #require(try daemon.stats()["server"]?["storePath"]?.string)
      let frozen = try Program.run([
        Programs.folder + "/depotd", "--socket", daemon.folder.path + "/o", "--read-only",
        "--store", address,
      ])
      #expect(frozen.status == 64)
      #expect(frozen.errors.contains("has no read-only stores"))
    }

    private static let second = """
      {"version":"2.0.0","entities":[{"name":"Item","attributes":[\
      {"name":"name","type":"string","unique":true},\
      {"name":"n","type":"double","default":0}]}]}
      """
  }
}
