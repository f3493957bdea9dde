import DepotClient
import DepotProtocol
import Foundation
import Glibc
import TestSupport
import Testing

/// Restores that are killed at the system calls by which they change files.
extension KilledProcessTests {
  @Suite struct RestoreKillTests {
    static let calls = ["openat", "pwrite64", "fsync", "link", "rename", "unlink"]

    @Test(arguments: calls, [false, true])
    func `a restore that is killed leaves the old store or the backup`(
      call: String,
      isDamaged: Bool
    ) async throws {
      try await onThread {
        let count = try Self.count(of: call, isDamaged)
        #expect(count > 0, "\(call) must be there to be killed at")
        for point in somePoints(upTo: count, about: 3) {
          let problems = try Self.trial(call, at: point, isDamaged)
          #expect(problems == [], "\(call) \(point)")
        }
      }
    }

    /// Makes a backup of a store with ten notes, and adds five to the store.
    private static func prepared(_ isDamaged: Bool) throws -> Place {
      let place = try Place()
      let (daemon, connection) = try place.serve()
      try connection.define(.items())
      try connection.put("kept", rows: 10)
      let outcome = try Program.run([
        Programs.depot, "--socket", place.socket, "backup", backup(place), "-q",
      ])
      guard outcome.status == 0 else { throw TestFailure(outcome.errors) }
      for number in 0..<5 { try connection.put("lost \(number)") }
      if isDamaged {
        // Commits are lost with the log, so that the store can't be opened.
        daemon.kill()
        try FileManager.default.removeItem(atPath: place.store + "-wal")
      } else {
        try connection.shutdown()
        _ = daemon.wait()
      }
      return place
    }

    private static func backup(_ place: Place) -> String { place.folder + "/backup.sqlite" }

    private static func restore(_ place: Place, _ prefix: [String] = []) throws -> Outcome {
      try Program.run(
        prefix + [
          Programs.daemon, "--restore", backup(place), "--store", place.store, "--replace",
        ]
      )
    }

    private static func count(of call: String, _ isDamaged: Bool) throws -> Int {
      let place = try prepared(isDamaged)
      let outcome = try restore(place, ["strace", "-f", "-o", place.trace, "-e", "trace=\(call)"])
      guard outcome.status == 0 else { throw TestFailure(outcome.errors) }
      return place.count(of: call)
    }

    private static func trial(
      _ call: String,
      at point: Int,
      _ isDamaged: Bool
    ) throws -> [String] {
      let place = try prepared(isDamaged)
      let killed = try restore(
        place,
        ["strace", "-f", "-o", place.trace] + killing(at: point, of: call).flatMap { ["-e", $0] }
      )
      var problems: [String] = []
      // A damaged store refuses to start until the restore was done, and is never taken for whole.
      let daemon = try place.start()
      if let connection = place.connect(daemon) {
        let count = try connection.count(CountRequest(entity: "Item"))
        if count != 10, isDamaged || count != 15 { problems.append("\(count) notes") }
        try connection.shutdown()
        if daemon.wait() != 0 { problems.append("the daemon didn't end well") }
      } else if !isDamaged {
        problems.append("no start: \(place.text(of: place.log))")
      }
      if killed.status == 0 { return problems }
      let again = try restore(place)
      if again.status != 0 { problems.append("can't go on: \(again.errors)") }
      let (last, connection) = try place.serve()
      let count = try connection.count(CountRequest(entity: "Item"))
      if count != 10 { problems.append("\(count) notes in the end") }
      problems += try place.end(last, connection)
      for name in try FileManager.default.contentsOfDirectory(atPath: place.data)
      where name.contains(".restoring") {
        problems.append("left: \(name)")
      }
      return problems
    }
  }
}
