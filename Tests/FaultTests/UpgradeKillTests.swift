import DepotClient
import DepotProtocol
import DepotSQLite
import Foundation
import Glibc
import TestSupport
import Testing

/// Services that are killed while they bring a store of format 4 to the present one.
///
/// Proved by the calls that were hit, each of which must have killed a service.
extension KilledProcessTests {
  @Suite struct UpgradeKillTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "DepotEngineTests/Formats/4.sql")

    private static func makeStore(_ place: Place) throws {
      for name in try FileManager.default.contentsOfDirectory(atPath: place.data) {
        try FileManager.default.removeItem(atPath: place.data + "/" + name)
      }
      let connection = try Connection(path: place.store, access: .plain)
      let sql = try String(contentsOf: script, encoding: .utf8)
      // Its log isn't empty either.
      try connection.execute("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; \(sql)")
    }

    /// The format that a file says it has, and whether its pages have room for checksums.
    private static func format(_ place: Place) throws -> (version: Int, reserved: Int) {
      let bytes = try Data(contentsOf: URL(filePath: place.store))
      return (Int(bytes[63]), Int(bytes[20]))
    }

    @Test(arguments: [
      "openat", "pwrite64", "fsync", "fdatasync", "ftruncate", "rename", "unlink",
    ])
    func `an upgrade that is killed leaves the old store or the new one`(
      call: String
    )
      async throws
    {
      let problems = try await onThread {
        var problems: [String] = []
        let place = try Place()
        var point = 1
        var kills = 0
        while point < 400 {
          try Self.makeStore(place)
          let killed = try place.start(
            tracing: killing(at: point, of: call)
          )
          let connection = place.connect(killed)
          if connection != nil { killed.signal(SIGKILL) } else { kills += 1 }
          killed.wait()
          let (version, reserved) = try Self.format(place)
          if version != 0, (version > 4) != (reserved == 8) {
            problems.append("\(call) \(point): format \(version), \(reserved) bytes")
          }
          let (daemon, again) = try place.serve()
          var names: [String] = []
          try again.fetch(FetchRequest(entity: "Country", select: ["name"])) { row in
            names.append(try row.field().text)
          }
          if names != ["France", "Italy", "Atlantis", "a\0b"] {
            problems.append("\(call) \(point): \(names)")
          }
          try again.insert(
            InsertRequest(
              entity: "Tag",
              columns: ["name"],
              rows: RowBatch([[.string("after")]])
            )
          )
          problems += try place.end(daemon, again).map { "\(call) \(point): \($0)" }
          if connection != nil { break }
          point += triesAllPoints ? 1 : max(1, point / 3)
        }
        if kills == 0 { problems.append("\(call) killed no service") }
        return problems
      }
      #expect(problems == [])
    }
  }
}
