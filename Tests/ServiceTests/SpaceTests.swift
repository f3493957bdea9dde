import DepotClient
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// The room that a store takes, and how it is given back.
  @Suite(.serialized) struct SpaceTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon(["--history-bytes", "64K"])
    }

    private func space() throws -> JSONValue {
      let outcome = try daemon.depot(["space", "-o", "json"])
      #expect(outcome.status == 0, "\(outcome.errors)")
      return try JSONValue(parsing: outcome.bytes)
    }

    private func size(_ suffix: String = "") -> Int {
      (try? FileManager.default.attributesOfItem(atPath: daemon.store + suffix)[.size] as? Int) ?? 0
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func `a new index says whose disk is full: that of temporary files`() throws {
      let temporary = daemon.folder.path + "/temporary"
      try FileManager.default.createDirectory(
        atPath: temporary,
        withIntermediateDirectories: false
      )
      let mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", temporary]
      try #require(Program.run(mount).status == 0)
      defer { _ = try? Program.run(["umount", "-l", temporary]) }
      let other = try TestDaemon(environment: ["TMPDIR": temporary, "SQLITE_TMPDIR": temporary])
      let connection = try other.connect()
      try connection.fill(40_000, textBytes: 1000)
      let schema = TestDaemon.schema.replacing(
        #""name":"text","type":"string""#,
        with: #""name":"text","type":"string","indexed":true"#
      )
      let raw = try RawConnection(other.socket)
      try raw.call(1, "schema.define", #"{"schema":\#(schema)}"#)
      let answer = try raw.receive()
      #expect(answer.errorCode == "storage.full", "\(answer.text)")
      let error = answer["err"]
      #expect(error?["message"]?.string?.contains("temporary file") == true, "\(answer.text)")
      #expect(error?["hint"]?.string?.contains("TMPDIR") == true, "\(answer.text)")
      #expect(!other.log.contains("the disk is full"), "\(other.log)")
      try connection.insert([Item(name: "later")])
    }

    @Test func `the parts of a store add up to its file`() throws {
      try daemon.connect().fill(3000, textBytes: 500)
      let space = try space()
      let item = try #require(space["entities"]?.array?.first)
      #expect(item["entity"]?.string == "Item")
      #expect(item["rows"] == .int64(3000))
      let names = ["rowBytes", "indexBytes", "valueBytes", "linkBytes"]
      let parts = names.reduce(Int64(0)) { $0 + (item[$1]?.int64 ?? 0) }
      let rest = ["freeBytes", "historyBytes", "otherBytes"].reduce(Int64(0)) {
        $0 + (space[$1]?.int64 ?? 0)
      }
      #expect(parts + rest == space["fileBytes"]?.int64)
      #expect(item["rowBytes"]?.int64 ?? 0 > 1_500_000)
    }

    @Test func `a compacted store is shorter, and its watches and readers go on`() async throws {
      let connection = try daemon.connect()
      try connection.fill(20_000, textBytes: 500)
      let watcher = try RawConnection(daemon.socket)
      try watcher.call(1, "watch", #"{"count":{"entity":"Item"}}"#)
      _ = try watcher.receive()
      // All rows are there yet, so that it takes long.
      let hurried = try RawConnection(daemon.socket)
      try hurried.call(1, "compact", "{}", #","deadlineMs":1"#)
      #expect(try hurried.receive()["err"]?["code"]?.string == "deadline.passed")
      let all = PredicateParser.self
      try connection.delete(
        DeleteRequest(entity: "Item", rows: .predicate(try all.parse("n >= 100")))
      )
      try await expectSoon("the history is short") {
        try (self.space()["historyBytes"]?.int64 ?? .max) < 1 << 20
      }
      let outcome = try daemon.depot(["compact", "-o", "json"])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let result = try JSONValue(parsing: outcome.bytes)
      let (before, after) = (result["before"]?.int64 ?? 0, result["after"]?.int64 ?? .max)
      #expect(before > 10 << 20)
      #expect(after < before / 2)
      try await expectSoon("the files get shorter") {
        self.size() <= Int(after) + (1 << 20) && self.size("-wal") < 8 << 20
      }
      try connection.insert([Item(name: "after")])
      #expect(try connection.count(CountRequest(entity: "Item")) == 101)
      #expect(try daemon.depot(["check"]).status == 0)
      // A kill right behind it loses nothing.
      daemon.kill()
      try daemon.start()
      #expect(try daemon.connect().count(CountRequest(entity: "Item")) == 101)
      #expect(try daemon.depot(["check"]).status == 0)
    }

    @Test func `copies that migrations leave are listed and removed by name only`() throws {
      try daemon.connect().fill(10)
      let schema = TestDaemon.schema.replacing("\"n\"", with: "\"m\"")
        .replacing("{\"entities\"", with: "{\"version\":\"2.0.0\",\"entities\"")
        .replacing(
          "\"type\":\"int64\",\"default\":0",
          with: "\"type\":\"int64\",\"default\":0,\"originalName\":\"n\""
        )
      let file = try daemon.folder.write(schema, to: "next.json")
      let migrated = try daemon.depot(["schema", "migrate", file])
      #expect(migrated.status == 0, "\(migrated.errors)")
      let copies = try space()["copies"]?.array ?? []
      #expect(copies.count == 1)
      let name = try #require(copies.first?["name"]?.string)
      #expect(name.hasPrefix("store.sqlite.backup-"))
      for other in ["store.sqlite", "../store.sqlite", "store.sqlite-wal", "s"] {
        let refused = try daemon.depot(["copies", "remove", other])
        #expect(refused.status == 66, "\(other): \(refused.errors)")
      }
      #expect(try daemon.depot(["copies", "remove", name]).status == 0)
      #expect(!FileManager.default.fileExists(atPath: daemon.folder.path + "/" + name))
      #expect(try space()["copies"] == .array([]))
      #expect(try daemon.connect().count(CountRequest(entity: "Item")) == 10)
    }
  }
}
