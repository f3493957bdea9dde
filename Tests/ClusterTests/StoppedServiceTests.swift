import DepotLinux
import Foundation
import Glibc
import TestSupport
import Testing

/// A service that is stopped in the middle of its work, and goes on when others have.
@Suite(
  .enabled(if: TemporaryCluster.isAvailable),
  .serialized,
  .cluster(),
  .timeLimit(.minutes(10))
)
struct StoppedServiceTests {
  @Test func `a service that was stopped does no harm when it goes on`() async throws {
    let seed = UInt64.random(in: 1...999_999)
    print("The seed of the writers' work is \(seed).")
    let cluster = try TemporaryCluster.shared
    let services = try await onThread {
      try (0..<2).map { try ClusterService("s\($0)", on: [cluster], ["--turn-seconds", "1"]) }
    }
    let run = try await ClusterRun(services, writers: 6, seed: seed)
    let goings = try await run.work {
      var generator = SeededGenerator(seed: seed)
      var goings = 0
      for _ in 0..<4 {
        Process.sleep(milliseconds: .random(in: 100...300, using: &generator))
        services[0].signal(SIGSTOP)
        defer { services[0].signal(SIGCONT) }
        // In most cases it has a turn, which ends after a second.
        let before = run.ledger.entries.count
        try expectSoon("nobody else writes") { run.ledger.entries.count > before + 20 }
        goings += 1
      }
      Process.sleep(milliseconds: 300)
      return goings
    }
    let content = try await run.check()
    let replayed = try await onThread { [run] in try run.replay() }
    #expect(content == replayed, "the store in a file has another content")
    #expect(goings == 4)
    #expect(services.allSatisfy(\.isRunning))
  }
}
