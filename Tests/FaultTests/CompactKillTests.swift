import DepotClient
import DepotProtocol
import Foundation
import Glibc
import TestSupport
import Testing

/// Services that are killed while they give the store's free pages back.
extension KilledProcessTests {
  @Suite struct CompactKillTests {
    static let calls = ["pwrite64", "ftruncate", "fdatasync", "fsync"]

    @Test(arguments: calls)
    func `a store keeps all that it had`(call: String) async throws {
      try await onThread {
        let count = try Self.count(of: call)
        #expect(count > 0, "\(call) must be there to be killed at")
        // The last calls are those of the compaction.
        for point in somePoints(upTo: count, about: 4).map({ count + 1 - $0 }) {
          let problems = try Self.trial(call, at: point)
          #expect(problems == [], "\(call) \(point)")
        }
      }
    }

    /// Makes a store whose pages are nearly all free.
    private static func prepared() throws -> Place {
      let place = try Place()
      let (daemon, connection) = try place.serve(["--history-bytes", "64K"])
      try connection.define(.items())
      for name in ["kept", "gone"] { try connection.put(name, rows: 500, bytes: 2000) }
      try connection.delete(
        DeleteRequest(
          entity: "Item",
          rows: .predicate(try PredicateParser.parse("name == 'gone'"))
        )
      )
      try connection.shutdown()
      _ = daemon.wait()
      return place
    }

    private static func compact(_ connection: BlockingConnection) throws {
      _ = try connection.call("compact", arguments: .object([:]))
      // The file gets shorter once the service has seen to the log.
      try connection.put("after")
      usleep(200_000)
      try connection.put("after")
    }

    private static func count(of call: String) throws -> Int {
      let place = try prepared()
      let daemon = try place.start(tracing: ["trace=\(call)"])
      guard let connection = place.connect(daemon) else {
        throw TestFailure(place.text(of: place.log))
      }
      try compact(connection)
      try connection.shutdown()
      guard daemon.wait() == 0 else { throw TestFailure(place.text(of: place.log)) }
      return place.count(of: call)
    }

    private static func trial(_ call: String, at point: Int) throws -> [String] {
      let place = try prepared()
      let killed = try place.start(tracing: killing(at: point, of: call))
      if let connection = place.connect(killed) {
        try? compact(connection)
        try? connection.shutdown()
      }
      _ = killed.wait()
      let (daemon, connection) = try place.serve()
      var problems: [String] = []
      let names = try connection.names()
      if names["kept"] != 500 || names["gone"] != nil { problems.append("\(names)") }
      problems += try place.end(daemon, connection)
      return problems
    }
  }
}
