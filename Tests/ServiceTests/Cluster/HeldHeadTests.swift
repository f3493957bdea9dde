import DepotProtocol
import Foundation
import Glibc
import TestSupport
import Testing

extension ClusterTests {
  /// A head that somebody else has locked or deleted, or that isn't of the cluster it was.
  @Suite(.serialized, .cluster()) struct HeldHeadTests {
    private static let insertion =
      #"{"entity":"Item","columns":["name"],"rows":[["a"]],"onConflict":"skip"}"#

    private static func lock(_ cluster: TemporaryCluster, seconds: Int) throws -> TestProcess {
      let lock = "BEGIN; SELECT 1 FROM depot.head FOR UPDATE; SELECT pg_sleep(\(seconds))"
      let hold = try TestProcess(
        ["psql", "-Xq", "-c", lock, cluster.address()],
        output: .nothing,
        errors: .nothing
      )
      let isHeld = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
      try expectSoon("nobody holds the head") { try cluster.sql(isHeld) == "1" }
      return hold
    }

    private static func start(
      on cluster: TemporaryCluster,
      through host: String? = nil
    ) throws -> (ClusterService, LineConnection) {
      let service = try ClusterService(
        "a service",
        on: [cluster],
        through: host,
        ["--drain-ms", "100"]
      )
      let connection = try LineConnection(service.socket)
      try connection.demand("schema.define", #"{"schema":\#(ClusterWriter.schema)}"#)
      return (service, connection)
    }

    @Test func `a write that waits for a lock hears its deadline and its cancel`() async throws {
      let cluster = try TemporaryCluster.shared
      try await onThread {
        let (service, connection) = try Self.start(on: cluster)
        let hold = try Self.lock(cluster, seconds: 600)
        let late = try connection.call("insert", Self.insertion, #","deadlineMs":1000"#)
        #expect(late.error?["code"]?.string == "deadline.passed", "\(late)")
        #expect(late.error?["effect"]?.string == "none", "\(late)")
        let call = try connection.begin("insert", Self.insertion)
        let observer = try LineConnection(service.socket)
        try expectSoon("stats tell no wait for the cluster") {
          let writer = try observer.demand("stats").result?["store"]?["writer"]
          let running = writer?["running"]?.array?.first?["op"]?.string
          return (writer?["clusterWaitSeconds"]?.double ?? 0) > 0 && running == "insert"
        }
        try connection.send(#"{"id":\#(call),"cancel":true}"#)
        let cancelled = try connection.end(of: call)
        #expect(cancelled.error?["code"]?.string == "cancelled.by_client", "\(cancelled)")
        #expect(hold.isRunning)
        hold.signal(SIGINT)
        try connection.demand("insert", Self.insertion)
        let count = try connection.demand("count", #"{"entity":"Item"}"#).result?["count"]?.int64
        #expect(count == 1)
        try service.checkRunning()
      }
    }

    @Test func `a service whose writes wait for a lock ends when it shall`() async throws {
      let cluster = try TemporaryCluster.shared
      try await onThread {
        let (service, connection) = try Self.start(on: cluster)
        let hold = try Self.lock(cluster, seconds: 20)
        for _ in 0..<3 { _ = try connection.begin("insert", Self.insertion) }
        let isWaiting = "application_name = 'depotd' AND wait_event_type = 'Lock'"
        try expectSoon("it doesn't wait") {
          try cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE \(isWaiting)") == "1"
        }
        service.signal(SIGTERM)
        try expectSoon("it doesn't end") { !service.isRunning }
        #expect(hold.isRunning, "it has waited for the lock")
        hold.signal(SIGINT)
      }
    }

    @Test func `a service whose head was deleted says so, and goes on when it is back`()
      async throws
    {
      let cluster = try TemporaryCluster.shared
      try await onThread {
        let (service, connection) = try Self.start(on: cluster)
        try cluster.sql("CREATE TABLE kept AS SELECT * FROM depot.head; DELETE FROM depot.head")
        let answer = try connection.call("insert", Self.insertion)
        #expect(answer.error?["code"]?.string == "storage.cluster", "\(answer)")
        #expect(answer.error?["message"]?.string?.contains("are empty") == true, "\(answer)")
        try connection.demand("count", #"{"entity":"Item"}"#)
        try service.checkRunning()
        try cluster.sql("INSERT INTO depot.head SELECT * FROM kept; DROP TABLE kept")
        try expectSoon("it doesn't go on") {
          try connection.call("insert", Self.insertion).result != nil
        }
      }
    }

    @Test func `a service writes nothing to another cluster than its own`() async throws {
      try await onThread {
        let (first, second) = (try TemporaryCluster(), try TemporaryCluster(name: "n2"))
        let folder = try TemporaryFolder()
        let host = folder.path + "/host"
        try FileManager.default.createSymbolicLink(atPath: host, withDestinationPath: first.path)
        let (service, connection) = try Self.start(on: first, through: host)
        try first.stop()
        try FileManager.default.removeItem(atPath: host)
        try FileManager.default.createSymbolicLink(atPath: host, withDestinationPath: second.path)
        let answer = try connection.call("insert", Self.insertion)
        #expect(answer.error?["code"]?.string == "storage.cluster", "\(answer)")
        #expect(answer.error?["message"]?.string?.contains("another cluster") == true, "\(answer)")
        try service.checkRunning()
        try FileManager.default.removeItem(atPath: host)
        try FileManager.default.createSymbolicLink(atPath: host, withDestinationPath: first.path)
        try first.start()
        try expectSoon("it doesn't go on") {
          try connection.call("insert", Self.insertion).result != nil
        }
      }
    }
  }
}
