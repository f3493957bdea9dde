import DepotProtocol
import TestSupport
import Testing

extension ClusterTests {
  /// A commit whose wait for a standby somebody ends, as PostgreSQL lets operators do.
  @Suite(.serialized) struct CancelledWaitTests {
    private static let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

    @Test func `it isn't told before a standby has the commit`() async throws {
      try await onThread {
        let nodes = try TemporaryCluster.replicated()
        let service = try ClusterService("s0", on: nodes)
        let connection = try LineConnection(service.socket)
        try connection.demand("schema.define", #"{"schema":\#(ClusterWriter.schema)}"#)
        for standby in nodes.dropFirst() { standby.freeze() }
        let call = try connection.begin(
          "insert",
          #"{"entity":"Item","columns":["name"],"rows":[["one"]]}"#
        )
        // After the commit's wait, those of the sessions that look for it are ended too.
        for _ in 0..<3 {
          try expectSoon("no commit waits") {
            try nodes[0].sql("SELECT count(*) \(Self.waiting)") == "1"
          }
          try nodes[0].sql("SELECT pg_cancel_backend(pid) \(Self.waiting)")
        }
        // Nothing says that a standby has it.
        #expect(try connection.receive(within: .milliseconds(500)) == nil)
        for standby in nodes.dropFirst() { standby.thaw() }
        let answer = try connection.end(of: call)
        #expect(answer.result != nil, "\(answer.error?.text ?? "")")
        let count = try connection.demand("count", #"{"entity":"Item"}"#).result?["count"]
        #expect(count == .int64(1))
      }
    }
  }
}
