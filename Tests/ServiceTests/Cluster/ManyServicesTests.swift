import DepotLinux
import DepotProtocol
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

extension ClusterTests {
  /// Many services of one store, which are killed while many clients write through them.
  ///
  /// `DEPOT_PROOF_SECONDS` says how long, `DEPOT_PROOF_SEED` repeats what chance decided.
  @Suite(.serialized) struct ManyServicesTests {
    /// The seconds after which all is compared, and begun anew: what was written is kept in memory until then.
    private static let roundSeconds = 600.0

    @Test func `four services that are killed do what one does with a file`() async throws {
      let variables = ProcessInfo.processInfo.environment
      var seed = variables["DEPOT_PROOF_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
      var seconds = variables["DEPOT_PROOF_SECONDS"].flatMap { Double($0) } ?? 10
      while seconds > 0 {
        try await Self.work(for: min(seconds, Self.roundSeconds), seed: seed)
        seconds -= Self.roundSeconds
        seed += 1
      }
    }

    /// Writes for some seconds while services are killed, and compares all with a store in a file.
    private static func work(for seconds: Double, seed: UInt64) async throws {
      print("The seed of the writers' work is \(seed).")
      let cluster = try await onThread { try TemporaryCluster() }
      let services = try await onThread {
        try (0..<4).map { try ClusterService("s\($0)", on: [cluster]) }
      }
      let run = try await ClusterRun(services, writers: 16, seed: seed)
      let kills = try await run.work {
        var generator = SeededGenerator(seed: seed)
        var kills = 0
        let start = ContinuousClock.now
        while ContinuousClock.now < start + .seconds(seconds) {
          Process.sleep(milliseconds: .random(in: 200...1200, using: &generator))
          let service = generator.pick(services)
          service.kill()
          kills += 1
          try service.start()
          for service in services { try service.checkRunning() }
        }
        return kills
      }
      let content = try await run.check()
      let ledger = run.ledger
      let replayed = try await onThread { [run] in try run.replay() }
      #expect(content == replayed, "the store in a file has another content")
      print(
        """
        \(ledger.entries.count) writes were acknowledged, \(ledger.refusals) refused, and \
        \(ledger.repetitions) made again; \(kills) services were killed.
        """
      )
      #expect(ledger.entries.count > 100)
      // The cluster was there all the time: such a refusal tells of turns that got in each other's way.
      #expect(ledger.refusals["unavailable.cluster"] == nil)
      #expect(kills > 1)
    }

    @Test func `a service that was asked for a token has the write of another service`()
      async throws
    {
      let cluster = try await onThread { try TemporaryCluster() }
      try await onThread {
        let first = try ClusterService("first", on: [cluster])
        let second = try ClusterService("second", on: [cluster])
        let (writer, reader) = (try LineConnection(first.socket), try LineConnection(second.socket))
        try writer.demand("schema.define", #"{"schema":\#(ClusterWriter.schema)}"#)
        for number in 1...100 {
          let insertion = #"{"entity":"Item","columns":["name"],"rows":[["token \#(number)"]]}"#
          let token = try writer.demand("insert", insertion).result?["token"]?.string ?? "none"
          try reader.demand("history", #"{"since":"\#(token)","limit":1}"#)
          let count = try reader.demand("count", #"{"entity":"Item"}"#).result?["count"]?.int64
          #expect(count == Int64(number))
        }
      }
    }
  }
}
