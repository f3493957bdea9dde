import DepotLinux
import DepotProtocol
import Foundation
import Glibc
import TestSupport
import Testing

extension ClusterTests {
  /// Pages in the cluster that were written, and that a failover or a crash takes back.
  @Suite(.serialized) struct LostBaseTests {
    @Test func `a base that a promoted standby hasn't got is written anew`() async throws {
      try await onThread {
        let primary = try TemporaryCluster()
        let standby = try primary.makeStandby(named: "n2")
        try primary.awaitStandbys(1)
        let nodes = [primary, standby]
        let service = try ClusterService("the one before", on: nodes)
        let connection = try LineConnection(service.socket)
        try connection.demand("schema.define", #"{"schema":\#(ClusterWriter.schema)}"#)
        let first = try Self.base(of: primary)
        let hold = try Self.holdBase(of: primary, connection)
        let end = try primary.sql("SELECT pg_current_wal_flush_lsn()")
        try expectSoon("the standby hasn't got the commits") {
          try primary.sql("SELECT bool_and(flush_lsn >= '\(end)') FROM pg_stat_replication") == "t"
        }
        try standby.stop(.immediate)
        hold.signal(SIGINT)
        try expectSoon("no base is written") { try Self.base(of: primary) > first }
        primary.kill()
        try standby.start()
        try standby.promote()
        #expect(
          try Self.base(of: standby) == first,
          "the standby has the base, which shows nothing"
        )
        try expectSoon("the service doesn't go on") {
          try connection.call("insert", Self.insertion("next")).result != nil
        }
        try Self.write("b", with: connection) { try Self.base(of: standby) > first }
        try Self.expectSame(service, ClusterService("a new one", on: nodes))
      }
    }

    @Test func `a base outlives a crash whatever the database's default is`() async throws {
      try await onThread {
        let cluster = try TemporaryCluster(
          settings: [
            "synchronous_commit": "off", "wal_writer_delay": "10000",
            "wal_writer_flush_after": "1GB",
          ]
        )
        let service = try ClusterService("a service", on: [cluster])
        let connection = try LineConnection(service.socket)
        try connection.demand("schema.define", #"{"schema":\#(ClusterWriter.schema)}"#)
        let first = try Self.base(of: cluster)
        let hold = try Self.holdBase(of: cluster, connection)
        hold.signal(SIGINT)
        try expectSoon("no base is written") { try Self.base(of: cluster) > first }
        let last = try Self.base(of: cluster)
        cluster.kill()
        try cluster.start()
        #expect(try Self.base(of: cluster) == last)
        try expectSoon("the service doesn't go on") {
          try connection.call("insert", Self.insertion("next")).result != nil
        }
        try Self.expectSame(service, ClusterService("a new one", on: [cluster]))
      }
    }

    /// Inserts large rows until a base is to be written, and keeps it from being written until the process ends.
    private static func holdBase(
      of cluster: TemporaryCluster,
      _ connection: LineConnection
    ) throws -> TestProcess {
      let lock = "BEGIN; LOCK TABLE depot.page IN SHARE MODE; SELECT pg_sleep(600)"
      let hold = try TestProcess(
        ["psql", "-Xq", "-c", lock, cluster.address()],
        output: .nothing,
        errors: .nothing
      )
      let isHeld = "relation = 'depot.page'::regclass AND mode = 'ShareLock' AND granted"
      try expectSoon("nobody holds the pages") {
        try cluster.sql("SELECT count(*) FROM pg_locks WHERE \(isHeld)") == "1"
      }
      let waiting = """
        SELECT count(*) FROM pg_stat_activity
        WHERE application_name = 'depotd news' AND wait_event_type = 'Lock'
        """
      try write("a", with: connection) { try cluster.sql(waiting) == "1" }
      return hold
    }

    /// Inserts large rows until something is so.
    private static func write(
      _ name: String,
      with connection: LineConnection,
      until condition: () throws -> Bool
    ) throws {
      for number in 0..<200 where try !condition() {
        try connection.demand(
          "insert",
          insertion("\(name) \(number)", rows: 20, textBytes: 100_000)
        )
      }
      try expectSoon("that many rows do nothing", condition)
    }

    private static func insertion(_ name: String, rows: Int = 1, textBytes: Int = 0) -> String {
      let text = String(repeating: "x", count: textBytes)
      let list = (0..<rows).map { "[\"\(name) \($0)\",\"\(text)\"]" }.joined(separator: ",")
      return #"{"entity":"Item","columns":["name","text"],"rows":[\#(list)],"onConflict":"skip"}"#
    }

    private static func base(of cluster: TemporaryCluster) throws -> Int {
      Int(try cluster.sql("SELECT base FROM depot.head")) ?? -1
    }

    private static func expectSame(_ first: ClusterService, _ second: ClusterService) throws {
      #expect(try first.export() == second.export())
    }
  }
}
