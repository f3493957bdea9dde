import DepotLinux
import DepotProtocol
import Glibc
import TestSupport
import Testing

extension ClusterTests {
  /// Services that stand still for a while, and find that the others went on.
  @Suite(.serialized, .cluster()) struct PausedServiceTests {
    @Test func `a service that stands still in its turn does no harm when it goes on`() async throws
    {
      let cluster = try TemporaryCluster.shared
      try await onThread {
        let paused = try ClusterService("paused", on: [cluster], ["--turn-seconds", "2"])
        let other = try ClusterService("other", on: [cluster])
        let connection = try LineConnection(paused.socket)
        try connection.demand("schema.define", #"{"schema":\#(ClusterWriter.schema)}"#)
        var number = 0
        var call: Int64 = 0
        while true {
          number += 1
          call = try connection.begin("insert", Self.insertion("paused \(number)", rows: 500))
          Process.sleep(milliseconds: UInt32(number % 20))
          paused.signal(SIGSTOP)
          Process.sleep(milliseconds: 50)
          if try Self.isInTurn(cluster) { break }
          paused.signal(SIGCONT)
          #expect(try connection.end(of: call).result != nil)
        }
        // It waits until the server has ended the session of the one that stands still.
        try expectSoon("nobody can write") {
          try LineConnection(other.socket).call("insert", Self.insertion("other")).result != nil
        }
        paused.signal(SIGCONT)
        let answer = try connection.end(of: call)
        try expectSoon("it doesn't go on") {
          try connection.call("insert", Self.insertion("later")).result != nil
        }
        let query = #"{"entity":"Item","where":"name BEGINSWITH 'paused \#(number) '"}"#
        let count = try connection.demand("count", query).result?["count"]?.int64
        #expect(count == (answer.result == nil ? 0 : 500))
        if let error = answer.error {
          #expect(error["code"]?.string == "unavailable.cluster", "\(error.text)")
          #expect(error["effect"]?.string == "none", "\(error.text)")
        }
        try Self.checkContents([paused, other])
      }
    }

    @Test func `a service that stands still while it waits for its turn does no harm`() async throws
    {
      let cluster = try TemporaryCluster.shared
      try await onThread {
        let paused = try ClusterService("paused", on: [cluster], ["--turn-seconds", "2"])
        let other = try ClusterService("other", on: [cluster], ["--turn-seconds", "2"])
        let connection = try LineConnection(other.socket)
        try connection.demand("schema.define", #"{"schema":\#(ClusterWriter.schema)}"#)
        try Self.awaitSame([paused, other])
        let hold = try TestProcess(
          ["psql", "-Xq", "-c", "BEGIN; \(Self.lock); SELECT pg_sleep(120)", cluster.address()],
          output: .file("/dev/null"),
          errors: .file("/dev/null")
        )
        let isHeld = "wait_event = 'PgSleep'"
        try expectSoon("nobody holds the head") { try Self.sessions(cluster, isHeld) == 1 }
        let isWaiting = "application_name = 'depotd' AND wait_event_type = 'Lock'"
        // More than a connection takes that nobody reads.
        let large = try connection.begin(
          "insert",
          Self.insertion("large", rows: 40, textBytes: 100_000)
        )
        try expectSoon("the first doesn't wait") { try Self.sessions(cluster, isWaiting) == 1 }
        let last = try LineConnection(paused.socket)
        let call = try last.begin("insert", Self.insertion("paused"))
        try expectSoon("the second doesn't wait") { try Self.sessions(cluster, isWaiting) == 2 }
        paused.signal(SIGSTOP)
        hold.signal(SIGINT)
        #expect(try connection.end(of: large).result != nil)
        for number in 0..<3 {
          #expect(try connection.call("insert", Self.insertion("other \(number)")).result != nil)
        }
        paused.signal(SIGCONT)
        _ = try last.end(of: call)
        try Self.checkContents([paused, other])
      }
    }

    @Test func `a service that is behind the commits that are kept begins anew`() async throws {
      let cluster = try TemporaryCluster.shared
      try await onThread {
        let paused = try ClusterService("paused", on: [cluster], ["--turn-seconds", "2"])
        let other = try ClusterService("other", on: [cluster])
        let connection = try LineConnection(other.socket)
        try connection.demand("schema.define", #"{"schema":\#(ClusterWriter.schema)}"#)
        try Self.awaitSame([paused, other])
        paused.signal(SIGSTOP)
        let next = "SELECT sequence + 1 FROM depot.head"
        let kept = try
          "SELECT count(*) FROM depot.commit WHERE part = 0 AND sequence = \(cluster.sql(next))"
        var number = 0
        // Commits are kept until about 128 MiB have come after them.
        repeat {
          number += 1
          let insertion = Self.insertion("large \(number)", rows: 20, textBytes: 100_000)
          try connection.demand("insert", insertion)
        } while try number < 200 && cluster.sql(kept) == "1"
        #expect(number < 200, "the commits aren't deleted")
        paused.signal(SIGCONT)
        try expectSoon("it goes on with what it can't know") { !paused.isRunning }
        #expect(paused.log.contains("too old"), "\(paused.log.suffix(500))")
        try paused.start()
        let third = try ClusterService("third", on: [cluster])
        try Self.checkContents([paused, other, third])
      }
    }

    private static func insertion(_ name: String, rows: Int = 1, textBytes: Int = 0) -> String {
      let text = String(repeating: "x", count: textBytes)
      let list = (0..<rows).map { "[\"\(name) \($0)\",\"\(text)\"]" }.joined(separator: ",")
      return #"{"entity":"Item","columns":["name","text"],"rows":[\#(list)],"onConflict":"skip"}"#
    }

    private static let lock = "SELECT 1 FROM depot.head FOR UPDATE"

    /// Whether a service's session waits for it inside a transaction.
    private static func isInTurn(_ cluster: TemporaryCluster) throws -> Bool {
      try sessions(cluster, "application_name = 'depotd' AND state = 'idle in transaction'") == 1
    }

    /// Returns how many sessions satisfy a condition.
    private static func sessions(_ cluster: TemporaryCluster, _ condition: String) throws -> Int? {
      Int(try cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE \(condition)"))
    }

    private static func awaitSame(_ services: [ClusterService]) throws {
      let head = try ClusterCheck.head(of: services[1])
      try expectSoon { try ClusterCheck.head(of: services[0]) == head }
    }

    /// Records an issue if services differ; all of them know of all commits after a write of each.
    private static func checkContents(_ services: [ClusterService]) throws {
      for service in services {
        let insertion = insertion("last of \(service.name)")
        try LineConnection(service.socket).demand("insert", insertion)
      }
      let head = try ClusterCheck.head(of: services[services.count - 1])
      let check = try ClusterCheck(services.reversed(), Ledger(), since: head)
      _ = try check.checkContents()
    }
  }
}
