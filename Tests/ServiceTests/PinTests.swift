import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Moments that clients keep.
  @Suite(.serialized) struct PinTests {
    private let daemon: TestDaemon
    private static let items = #"{"entity":"Item"}"#

    init() throws {
      daemon = try TestDaemon(["--pin-ms", "20000"])
      try daemon.connect().fill(2000)
    }

    /// Pins and returns the name of the pin.
    private func pin(
      _ connection: RawConnection,
      _ id: Int,
      _ arguments: String = "{}"
    ) throws -> String {
      try connection.call(id, "pin", arguments)
      let answer = try connection.receiveAnswer(of: id).terminal
      return try #require(answer["ok", "pin"]?.string, "\(answer.text)")
    }

    private func code(
      _ connection: RawConnection,
      _ id: Int,
      _ operation: String,
      _ arguments: String = items,
      _ members: String = ""
    ) throws -> String? {
      try connection.call(id, operation, arguments, members)
      return try connection.receiveAnswer(of: id).terminal.errorCode
    }

    @Test func `every read of a pin sees the moment at which it was taken`() throws {
      let connection = try RawConnection(daemon.socket)
      let member = #","pin":"\#(try pin(connection, 1))""#
      let writer = try daemon.connect()
      try writer.delete(Item.self, where: #Predicate { $0.n >= 1000 })
      try writer.update(
        Item.self,
        where: #Predicate { $0.n < 1000 },
        set: [.set(\.text, to: "new")]
      )
      try writer.insert([Item(name: "new")])

      let calls: [(String, String, (JSONValue) -> Bool)] = [
        ("count", Self.items, { $0["ok", "count"]?.int64 == 2000 }),
        ("count", #"{"entity":"Item","where":"text == 'new'"}"#, { $0["ok", "count"]?.int64 == 0 }),
        (
          "exists", #"{"entity":"Item","where":"name == 'new'"}"#,
          { $0["ok", "exists"] == .bool(false) }
        ),
        ("get", #"{"entity":"Item","ids":[1999]}"#, { $0["ok", "rows", "0", "1"]?.int64 == 1 }),
        ("fetch", Self.items, { $0["ok", "rows"]?.int64 == 2000 }),
        ("explain", #"{"entity":"Item","run":true}"#, { $0["ok"] != nil }),
        (
          "aggregate", #"{"entity":"Item","values":[{"name":"m","aggregate":"max","of":"n"}]}"#,
          { $0["ok"] != nil }
        ),
      ]
      for (index, (operation, arguments, isRight)) in calls.enumerated() {
        try connection.call(index + 2, operation, arguments, member)
        let (next, terminal) = try connection.receiveAnswer(of: index + 2)
        #expect(isRight(terminal), "\(operation): \(terminal.text)")
        if operation == "aggregate" { #expect(next[0]["next", "0", "0"]?.int64 == 1999) }
      }
      #expect(try daemon.connect().count(Item.self) == 1001)
    }

    @Test func `streams of a pin run side by side`() throws {
      let connection = try RawConnection(daemon.socket)
      let name = try pin(connection, 1)
      let fetch = #"{"entity":"Item","batch":10}"#
      for id in 2...5 {
        try connection.call(id, "fetch", fetch, #","pin":"\#(name)","credit":1"#)
      }
      try daemon.connect().delete(Item.self, where: #Predicate { $0.n >= 0 })
      var rows: [Int64: [Int64]] = [:]
      var ended = 0
      while ended < 4 {
        let frame = try connection.receive()
        let id = try #require(frame["id"]?.int64)
        if let next = frame["next"]?.array {
          rows[id, default: []] += next.compactMap { $0.array?.first?.int64 }
          try connection.send(#"{"id":\#(id),"more":1}"#)
        } else {
          #expect(frame["ok", "rows"]?.int64 == 2000, "\(frame.text)")
          ended += 1
        }
      }
      let isWhole = (Int64(2)...5).map { rows[$0] == Array(1...2000) }
      #expect(isWhole == [true, true, true, true])
    }

    @Test func `cancelling one read of a pin leaves the others alone`() throws {
      let connection = try RawConnection(daemon.socket)
      let name = try pin(connection, 1)
      let (fetch, member) = (#"{"entity":"Item","batch":10}"#, #","pin":"\#(name)""#)
      for id in 2...3 { try connection.call(id, "fetch", fetch, member + #","credit":1"#) }
      for _ in 2...3 { #expect(try connection.receive()["next"] != nil) }
      // It may be interrupted in its middle.
      let slow = #"{"entity":"Item","where":"text LIKE '*x*x*q*' OR name ENDSWITH[cd] 'q'"}"#
      try connection.call(4, "count", slow, member + #","deadlineMs":1"#)
      try connection.send(#"{"id":2,"cancel":true}"#)
      try connection.send(#"{"id":3,"more":1000}"#)
      var codes: [Int64: String] = [:]
      while codes.count < 3 {
        let frame = try connection.receive()
        guard let id = frame["id"]?.int64, frame["next"] == nil else { continue }
        codes[id] = frame.errorCode ?? "ok"
        if id == 3 { #expect(frame["ok", "rows"]?.int64 == 2000) }
      }
      #expect(codes[2] == "cancelled.by_client")
      #expect(codes[3] == "ok")
      #expect(try code(connection, 5, "count", Self.items, member) == nil)
    }

    @Test func `a pin expires, with its streams, and says how to go on`() throws {
      let connection = try RawConnection(daemon.socket)
      let name = try pin(connection, 1, #"{"maxAgeMs":300}"#)
      let member = #","pin":"\#(name)""#
      try connection.call(2, "fetch", #"{"entity":"Item","batch":10}"#, member + #","credit":1"#)
      let (next, end) = try connection.receiveAnswer(of: 2)
      #expect(next.count == 1)
      #expect(end.errorCode == "stream.expired")
      #expect(end["err", "hint"]?.string?.contains("after") == true)
      #expect(try code(connection, 3, "count", Self.items, member) == "stream.expired")
      let readers = try daemon.stats()["readers"]
      #expect(readers?["pins"]?.int64 == 0)
      #expect(readers?["expiredPins"]?.int64 == 1)
    }

    @Test func `a pin is kept no longer than the service allows`() throws {
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "pin", #"{"maxAgeMs":86400000}"#)
      let answer = try connection.receiveAnswer(of: 1).terminal
      let milliseconds = try #require(answer["ok", "expiresMs"]?.int64)
      #expect(milliseconds <= 20_000)
    }

    @Test func `a pin that was given up ends its reads, and is gone`() throws {
      let connection = try RawConnection(daemon.socket)
      let name = try pin(connection, 1)
      let member = #","pin":"\#(name)""#
      try connection.call(2, "fetch", #"{"entity":"Item","batch":10}"#, member + #","credit":1"#)
      #expect(try connection.receive()["next"] != nil)
      try connection.call(3, "unpin", #"{"pin":"\#(name)"}"#)
      let codes = try [connection.receive(), connection.receive()]
      #expect(codes.contains { $0["id"]?.int64 == 3 && $0["ok"] != nil })
      #expect(codes.contains { $0["id"]?.int64 == 2 && $0.errorCode == "cancelled.by_client" })
      #expect(try code(connection, 4, "count", Self.items, member) == "stream.expired")
      #expect(try code(connection, 5, "unpin", #"{"pin":"\#(name)"}"#) == "stream.expired")
    }

    @Test func `nobody else can use a pin`() throws {
      let connection = try RawConnection(daemon.socket)
      let name = try pin(connection, 1)
      let other = try RawConnection(daemon.socket)
      #expect(try code(other, 1, "count", Self.items, #","pin":"\#(name)""#) == "stream.expired")
      #expect(try code(other, 2, "unpin", #"{"pin":"\#(name)"}"#) == "stream.expired")
      #expect(try code(connection, 2, "count", Self.items, #","pin":"\#(name)""#) == nil)
    }

    @Test func `only reads can have a pin, and only of its container`() throws {
      let connection = try RawConnection(daemon.socket)
      let name = try pin(connection, 1)
      let member = #","pin":"\#(name)""#
      let insert = #"{"entity":"Item","columns":["name"],"rows":[["x"]]}"#
      #expect(try code(connection, 2, "insert", insert, member) == "request.usage")
      #expect(try code(connection, 3, "ping", "{}", member) == "request.usage")
      let container = member + #","container":"other""#
      #expect(try code(connection, 4, "count", Self.items, container) == "request.usage")
    }

    @Test func `there are so many pins on a connection and so many on all`() throws {
      var connections: [RawConnection] = []
      for _ in 0..<4 {
        let connection = try RawConnection(daemon.socket)
        for id in 1...8 { _ = try pin(connection, id) }
        #expect(try code(connection, 9, "pin", "{}") == "limit.pins")
        connections.append(connection)
      }
      let last = try RawConnection(daemon.socket)
      #expect(try code(last, 1, "pin", "{}") == "limit.pins")
      #expect(try daemon.stats()["readers", "pins"]?.int64 == 32)
      connections = []
      try expectSoon("the pins stay") { try daemon.stats()["readers", "pins"]?.int64 == 0 }
      _ = try pin(last, 2)
    }

    @Test func `what a client leaves behind is gone at once`() throws {
      var connection: RawConnection? = try RawConnection(daemon.socket)
      if let connection {
        let name = try pin(connection, 1)
        let fetch = #"{"entity":"Item","batch":1}"#
        try connection.call(2, "fetch", fetch, #","pin":"\#(name)","credit":1"#)
        try connection.call(3, "fetch", fetch, #","credit":1"#)
        for _ in 0..<2 { #expect(try connection.receive()["next"] != nil) }
      }
      let before = try daemon.stats()["readers"]
      #expect(before?["pins"]?.int64 == 1)
      #expect(before?["active"]?.int64 == 2)
      connection = nil
      try expectSoon("something stays") {
        let readers = try daemon.stats()["readers"]
        return readers?["pins"]?.int64 == 0 && readers?["active"]?.int64 == 0
      }
    }

    @Test func `a pin sees the writes before it on its connection`() throws {
      let connection = try RawConnection(daemon.socket)
      let rows = (0..<5000).map { "[\"p \($0)\"]" }.joined(separator: ",")
      try connection.call(1, "insert", #"{"entity":"Item","columns":["name"],"rows":[\#(rows)]}"#)
      let name = try pin(connection, 2)
      try connection.call(3, "count", Self.items, #","pin":"\#(name)""#)
      #expect(try connection.receiveAnswer(of: 3).terminal["ok", "count"]?.int64 == 7000)
    }

    @Test func `a pin keeps the schema of its moment`() throws {
      let connection = try RawConnection(daemon.socket)
      let name = try pin(connection, 1)
      let schema = TestDaemon.schema.replacingOccurrences(
        of: #"{"name":"text""#,
        with: #"{"name":"more","type":"int64","optional":true},{"name":"text""#
      )
      #expect(try code(connection, 2, "schema.define", #"{"schema":\#(schema)}"#) == nil)
      try connection.call(3, "get", #"{"entity":"Item","ids":[1]}"#, #","pin":"\#(name)""#)
      let old = try connection.receiveAnswer(of: 3).terminal
      #expect(old["ok", "columns"]?.array?.count == 5, "\(old.text)")
      try connection.call(4, "get", #"{"entity":"Item","ids":[1]}"#)
      let new = try connection.receiveAnswer(of: 4).terminal
      #expect(new["ok", "columns"]?.array?.count == 6, "\(new.text)")
    }

    @Test func `a whole export is of one moment, or of several if it is told so`() throws {
      let folder = daemon.folder.path + "/export"
      let whole = try daemon.depot(["export", "--all", folder])
      #expect(whole.status == 0, "\(whole.errors)")
      #expect(try daemon.stats()["readers", "pinned"]?.int64 == 1)

      let hasty = try TestDaemon(["--log-mib", "8"])
      try hasty.connect().fill(100_000)
      let late = try interruptedExport(to: folder + "2", hasty)
      #expect(late.status == 75)
      #expect(late.errors.contains("--no-snapshot"), "\(late.errors)")
      // An export that fails leaves an earlier one as it was.
      let before = try Data(contentsOf: URL(filePath: folder + "/Item.ndjson"))
      #expect(try interruptedExport(to: folder, hasty).status == 75)
      #expect(try Data(contentsOf: URL(filePath: folder + "/Item.ndjson")) == before)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(Set(names) == ["Item.ndjson", "schema.json"])
      let several = try hasty.depot(["export", "--all", folder + "3", "--no-snapshot"])
      #expect(several.status == 0, "\(several.errors)")
      #expect(try hasty.depot(["export", "Item", "--no-snapshot"]).status == 0)
    }

    /// Exports all rows, and has so much written in the middle that the moment can't be kept.
    private func interruptedExport(to folder: String, _ daemon: TestDaemon) throws -> Outcome {
      let expired = try daemon.stats()["readers", "expiredPins"]?.int64 ?? 0
      let export = try Program([
        Programs.depot, "--socket", daemon.socket, "--no-start", "export", "--all", folder,
      ])
      try expectSoon("there is no pin") { try daemon.stats()["readers", "pins"]?.int64 == 1 }
      export.process.signal(SIGSTOP)
      defer { export.process.signal(SIGCONT) }
      let connection = try daemon.connect()
      let text = String(repeating: "z", count: 1000)
      try expectSoon("the pin stays") {
        try connection.insert((0..<2000).map { _ in Item(name: "\(UUID())", text: text) })
        return try daemon.stats()["readers", "expiredPins"]?.int64 == expired + 1
      }
      export.process.signal(SIGCONT)
      return try export.wait()
    }

    @Test func `a read of a pin may take longer than the pin is kept for nobody`() throws {
      let daemon = try TestDaemon(["--pin-ms", "1"])
      let connection = try daemon.connect()
      try connection.fill(5000)
      let raw = try RawConnection(daemon.socket)
      // Each of them takes more than a millisecond, and so do all that wait for the one before.
      let slow = #"{"entity":"Item","where":"text LIKE '*x*x*q*' OR name ENDSWITH[cd] 'q'"}"#
      var pinned: String?
      for id in stride(from: 1, through: 200, by: 2) where pinned == nil {
        // The next call may come a millisecond too late.
        let name = try pin(raw, id)
        try raw.call(id + 1, "count", slow, #","pin":"\#(name)""#)
        let code = try raw.receiveAnswer(of: id + 1).terminal.errorCode
        if code == nil { pinned = name }
      }
      #expect(pinned != nil)
    }

    @Test func `clients read one moment with many requests`() async throws {
      let client = try await Client(socket: SocketPath(daemon.socket))
      try await client.withSnapshot { snapshot in
        try await client.insert([Item(name: "later")])
        #expect(try await snapshot.count(Item.self) == 2000)
        #expect(try await snapshot.fetch(Item.self).count == 2000)
        #expect(try await client.count(Item.self) == 2001)
        let error = await #expect(throws: DepotError.self) {
          try await snapshot.insert([Item(name: "never")])
        }
        #expect(error?.code == .usage)
      }
      try await expectSoon("the pin stays") { try daemon.stats()["readers", "pins"]?.int64 == 0 }
      let connection = try daemon.connect()
      try connection.withSnapshot { snapshot in
        try connection.insert([Item(name: "latest")])
        #expect(try snapshot.count(Item.self) == 2001)
        #expect(throws: DepotError.self) { try snapshot.insert([Item(name: "never")]) }
      }
      #expect(try daemon.stats()["readers", "pins"]?.int64 == 0)
    }
  }
}
