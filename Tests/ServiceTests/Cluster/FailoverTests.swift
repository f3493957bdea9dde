import DepotLinux
import Foundation
import TestSupport
import Testing

extension ClusterTests {
  /// Primaries that are killed while clients write through several services, and standbys in their place.
  ///
  /// `DEPOT_PROOF_SECONDS` makes it long, `DEPOT_PROOF_SEED` repeats what chance decided.
  @Suite(.serialized) struct FailoverTests {
    @Test func `what was acknowledged outlives the primaries that had it`() async throws {
      let variables = ProcessInfo.processInfo.environment
      let seed = variables["DEPOT_PROOF_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
      let rounds = variables["DEPOT_PROOF_SECONDS"] == nil ? 3 : 20
      print("The seed of the writers' work is \(seed).")
      let nodes = try await onThread { try TemporaryCluster.replicated() }
      let services = try await onThread {
        try (0..<2).map { try ClusterService("s\($0)", on: nodes) }
      }
      let run = try await ClusterRun(services, writers: 6, seed: seed)
      try await run.work {
        var generator = SeededGenerator(seed: seed)
        var nodes = nodes
        for _ in 0..<rounds {
          Process.sleep(milliseconds: .random(in: 500...1500, using: &generator))
          nodes = try Self.failOver(nodes)
          for service in services { try service.checkRunning() }
        }
        Process.sleep(milliseconds: 500)
      }
      let content = try await run.check()
      let replayed = try await onThread { try run.replay() }
      #expect(content == replayed, "the store in a file has another content")
      let ledger = run.ledger
      print(
        """
        \(ledger.entries.count) writes were acknowledged, \(ledger.refusals) refused, and \
        \(ledger.repetitions) made again; \(rounds) primaries were killed, and a write took \
        \(ledger.longestPause) at most.
        """
      )
      #expect(ledger.entries.count > 100)
    }

    /// Kills the first server, has the standby that is furthest ahead take its place, and makes it a standby anew.
    ///
    /// - Returns: The servers, the new primary first.
    private static func failOver(_ nodes: [TemporaryCluster]) throws -> [TemporaryCluster] {
      let old = nodes[0]
      old.kill()
      let standbys = try nodes.dropFirst().map { node in
        let place = try node.sql("SELECT pg_last_wal_receive_lsn() - '0/0'")
        return (node: node, place: Int64(place) ?? 0)
      }.sorted { $0.place > $1.place }.map(\.node)
      try standbys[0].promote()
      for other in standbys.dropFirst() { try other.follow(standbys[0]) }
      try old.rejoin(standbys[0])
      try standbys[0].awaitStandbys(nodes.count - 1)
      return standbys + [old]
    }
  }
}
