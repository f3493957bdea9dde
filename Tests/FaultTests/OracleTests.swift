import DepotClient
import DepotProtocol
import Foundation
import Glibc
import TestSupport
import Testing

/// Everything that breaks a daemon's files and disks on purpose, one at a time.
@Suite(.serialized) enum FaultTests {}

/// Daemons and clients that are killed at each system call, one at a time, beside those.
@Suite(.serialized) enum KilledProcessTests {}

/// Proofs that the ledger can fail.
extension FaultTests {
  @Suite struct OracleTests {
    @Test func `a write that was acknowledged but never made is reported`() {
      var ledger = Ledger()
      for (name, fate) in [
        ("lost", Ledger.Fate.acknowledged), ("kept", .acknowledged), ("twice", .unknown),
        ("refused", .refused), ("perhaps", .unknown),
      ] { ledger.note(name, fate) }
      let found = ["kept": 1, "twice": 2, "refused": 1, "stray": 1]
      #expect(
        ledger.problems(found) == [
          "lost was acknowledged and is lost", "refused was refused and is there",
          "stray was never written", "twice is there 2 times",
        ]
      )
      #expect(Ledger().problems([:]) == [])
    }

    /// The disk says that it wrote; what it was given is gone when the daemon is killed.
    @Test func `rows that a lying disk dropped are missed at the start, and reported as lost`()
      async throws
    {
      let problems = try await onThread {
        let place = try Place()
        var (daemon, connection) = try place.serve()
        try connection.define(.items())
        var ledger = Ledger()
        connection.put("before", in: &ledger)
        let lie = try Fault("pwrite64", "retval=24", in: daemon, path: place.store + "-wal", place)
        for index in 0..<10 { connection.put("during \(index)", in: &ledger) }
        daemon.signal(SIGKILL)
        daemon.wait()
        lie.end()
        daemon = try place.start()
        #expect(daemon.wait() == 74)
        #expect(place.text(of: place.log).contains("At most 10 commits are missing"))
        (daemon, connection) = try place.serve(["--accept-loss"])
        return ledger.problems(try connection.names())
      }
      #expect(problems.count == 10)
      #expect(problems.allSatisfy { $0.hasSuffix("was acknowledged and is lost") })
    }
  }
}
