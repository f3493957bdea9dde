import DepotClient
import DepotProtocol
import DepotSQLite
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DepotEngine

/// Kills the daemon at the system calls that it makes from its start to its end.
///
/// Proved by `OracleTests`: the same ledger reports a write that a lying disk dropped.
extension KilledProcessTests {
  @Suite struct KillTests {
    /// The calls that touch files and sockets.
    static let calls = [
      "pwrite64", "fdatasync", "fsync", "ftruncate", "fcntl", "openat", "unlink", "rename",
      "sendto",
      "write", "close", "pread64", "fadvise64", "flock", "fchown", "bind", "listen",
    ]

    @Test(arguments: calls)
    func `every acknowledged write survives a kill at any system call`(call: String) async throws {
      try await onThread {
        let count = try Self.count(of: call)
        for point in somePoints(upTo: count, about: 5) {
          let (wasKilled, problems) = try Self.trial(call, at: point)
          #expect(problems == [], "\(call) \(point)")
          if !triesAllPoints, point == 1 {
            #expect(wasKilled, "\(call) must be there to be killed at")
          }
        }
      }
    }

    @Test(arguments: ["fdatasync", "pwrite64", "ftruncate", "fsync", "rename"])
    func `a store is made whenever its making was killed`(call: String) async throws {
      try await onThread {
        for point in 1...10 {
          let place = try Place()
          let first = try place.start(tracing: killing(at: point, of: call))
          if let connection = place.connect(first) { try? connection.shutdown() }
          let wasKilled = first.wait() == 128 + SIGKILL
          #expect(wasKilled || point > 1, "\(call) must be there to be killed at")
          let (daemon, connection) = try place.serve()
          try connection.define(.items())
          try connection.put("a", rows: 2)
          #expect(try connection.names() == ["a": 2], "\(call) \(point)")
          try connection.shutdown()
          #expect(daemon.wait() == 0, "\(call) \(point)")
          #expect(try place.check().status == 0, "\(call) \(point)")
          // There are no more of them until the end of the service.
          if !wasKilled { break }
        }
      }
    }

    /// The writes of a run; the large one makes a checkpoint due.
    private static let steps: [(name: String, rows: Int, bytes: Int)] = [
      ("a", 2, 10), ("b", 3, 5000), ("large", 6, 720_000), ("c", 1, 10), ("d", 2, 10),
    ]

    /// Returns how often the thread that makes `call` most makes it in a whole run.
    private static func count(of call: String) throws -> Int {
      let place = try Place()
      let daemon = try place.start(tracing: ["trace=\(call)"])
      var ledger = Ledger()
      if let connection = place.connect(daemon) { work(connection, &ledger) }
      guard daemon.wait() == 0 else { throw TestFailure(place.text(of: place.log)) }
      return place.count(of: call)
    }

    /// Writes until the connection is lost or all is done.
    private static func work(_ connection: BlockingConnection, _ ledger: inout Ledger) {
      do {
        try connection.define(.items())
        for (index, step) in steps.enumerated() {
          ledger.note(step.name, .unknown)
          try connection.put(step.name, rows: step.rows, bytes: step.bytes)
          ledger.note(step.name, .acknowledged)
          if index == 3 { try connection.define(.items(more: true)) }
        }
        try connection.shutdown()
      } catch {
        // The daemon is gone, as it should be.
      }
    }

    private static func trial(_ call: String, at point: Int) throws -> (Bool, [String]) {
      let place = try Place()
      var daemon = try place.start(tracing: killing(at: point, of: call))
      var ledger = Ledger()
      if let connection = place.connect(daemon) { work(connection, &ledger) }
      let wasKilled = daemon.wait() == 128 + SIGKILL
      let connection: BlockingConnection
      (daemon, connection) = try place.serve()
      var problems: [String] = []
      if try connection.schema()["Item"] != nil {
        problems += ledger.problems(try wholeWrites(connection, &problems))
      } else if ledger.fates.values.contains(.acknowledged) {
        problems.append("the schema is lost")
      }
      // Whatever is repeated with its key is there exactly once.
      try connection.define(.items(more: true))
      for step in steps {
        try connection.put(step.name, rows: step.rows, bytes: step.bytes)
        ledger.note(step.name, .acknowledged)
      }
      problems += ledger.problems(try wholeWrites(connection, &problems))
      problems += try place.end(daemon, connection)
      let missing = try rowsWithoutHistory(place)
      if missing != 0 { problems.append("the history lacks \(missing ?? 0) rows") }
      return (wasKilled, problems)
    }

    /// Returns how many more rows there are than the history says were inserted.
    private static func rowsWithoutHistory(_ place: Place) throws -> Int64? {
      let connection = try Connection(path: place.store, access: .frozen)
      let inserted = try connection.statement(
        "SELECT \(HistoryTable.fullRow) FROM depot_history WHERE kind = 0"
      ).rows { try HistoryRecord($0).ranges().reduce(0) { $0 + Int64($1.count) } }
      return try connection.integer("SELECT count(*) FROM e_Item").map {
        $0 - inserted.reduce(0, +)
      }
    }

    /// How often each write is there, all of whose rows must be.
    private static func wholeWrites(
      _ connection: BlockingConnection,
      _ problems: inout [String]
    ) throws -> [String: Int] {
      var counts = try connection.names()
      for (name, rows, _) in steps {
        guard let count = counts[name] else { continue }
        if count % rows != 0 { problems.append("\(name) is there in part") }
        counts[name] = (count + rows - 1) / rows
      }
      return counts
    }
  }
}
