import DepotClient
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Watches of a real service, by clients and by the command line.
  @Suite struct WatchTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon()
    }

    private func client() async throws -> Client {
      try await Client(socket: SocketPath(daemon.socket), name: "watcher")
    }

    private let byName = [SortDescriptor(\Item.name)]

    @Test func `a watch sees what another client does`() async throws {
      let client = try await client()
      let writer = try await self.client()
      try await writer.insert([Item(name: "b"), Item(name: "d")])
      var events = client.watch(Item.self, sortBy: byName, limit: 2).makeAsyncIterator()
      guard case .snapshot(let rows)? = try await events.next() else { throw Unexpected() }
      #expect(rows.contents.map(\.name) == ["b", "d"])

      let token = rows.token
      try await writer.insert([Item(name: "a")])
      var change = try await nextChange(&events)
      #expect(change.inserted.map(\.content.name) == ["a"])
      #expect(change.removed.map(\.from) == [1])
      #expect(change.token > token)

      try await writer.update(
        Item.self,
        where: #Predicate { $0.name == "b" },
        set: [.set(\.n, to: 7)]
      )
      change = try await nextChange(&events)
      #expect(change.updated.map(\.content.n) == [7])
      #expect(change.placed.first?.properties == ["n"])

      try await writer.delete(Item.self, where: #Predicate { $0.name == "a" })
      change = try await nextChange(&events)
      #expect(change.removed.map(\.from) == [0])
      #expect(events.rows?.contents.map(\.name) == ["b", "d"])
    }

    @Test func `a count and an aggregate are told when they are others`() async throws {
      let client = try await client()
      let writer = try await self.client()
      var counts = client.watchCount(Item.self, where: #Predicate { $0.n > 0 }).makeAsyncIterator()
      var sums = client.watchAggregate(Item.self, values: .sum(\.n)).makeAsyncIterator()
      #expect(try await counts.next()?.value == 0)
      #expect(try await sums.next()?.value.first?.values == 0)
      try await writer.insert([Item(name: "none")])
      try await writer.insert([Item(name: "one", n: 5)])
      #expect(try await counts.next()?.value == 1)
      #expect(try await sums.next()?.value.first?.values == 5)
    }

    @Test func `identifiers are watched whether their rows are there or not`() async throws {
      let client = try await client()
      let identifiers = try await client.insert([Item(name: "a"), Item(name: "b")])
      var events = client.watch([identifiers[1]]).makeAsyncIterator()
      guard case .snapshot(let rows)? = try await events.next() else { throw Unexpected() }
      #expect(rows.contents.map(\.name) == ["b"])
      try await client.update(identifiers[0], set: [.set(\.n, to: 1)])
      try await client.delete(identifiers[1])
      let change = try await nextChange(&events)
      #expect(change.removed.map(\.identifier) == [identifiers[1].value])
    }

    @Test func `one's own changes can be left out, and the barrier is behind the others`()
      async throws
    {
      let client = try await client()
      let other = try await self.client()
      let options = WatchOptions(echoes: false)
      var events = client.watch(Item.self, options: options).makeAsyncIterator()
      _ = try await events.next()
      try await client.insert([Item(name: "mine")])
      try await other.insert([Item(name: "theirs")])
      let token = try #require(try await client.barrier().first)
      let change = try await nextChange(&events)
      #expect(change.inserted.map(\.content.name) == ["theirs"])
      #expect(change.token <= token)
      #expect(events.rows == nil)
    }

    @Test func `a barrier's token is a lower bound beside a writer that never pauses`()
      async throws
    {
      let raw = try RawConnection(daemon.socket)
      try raw.call(1, "watch", #"{"fetch":{"entity":"Item","select":["n"]}}"#, #","credit":100000"#)
      var token: HistoryToken?
      while token == nil { token = try raw.receive()["token"]?.string.map(HistoryToken.init) }
      let acknowledged = Counter()
      let isDone = Flag()
      let socket = daemon.socket
      async let writing: Void = onThread {
        let writer = try BlockingConnection(socket: SocketPath(socket))
        while !isDone.value {
          try writer.insert([Item(name: "n \(acknowledged.value)")])
          acknowledged.add()
        }
      }
      var seen = 0
      for round in 2..<102 {
        let before = acknowledged.value
        try raw.call(round, "barrier", "{}")
        while true {
          let frame = try raw.receive()
          if frame["id"]?.int64 == Int64(round) {
            let text = try #require(frame["ok", "tokens", "0"]?.string, "\(frame.text)")
            let reached = try #require(token)
            #expect(try HistoryToken(text) <= reached)
            break
          }
          seen += frame["next"]?.array?.count ?? 0
          if let text = frame["token"]?.string { token = try HistoryToken(text) }
        }
        #expect(seen >= before)
      }
      isDone.set()
      try await writing
    }

    @Test func `after a kill a watch goes on without a gap`() async throws {
      let client = try await client()
      var events = client.watch(Item.self, sortBy: byName).makeAsyncIterator()
      guard case .snapshot(var model)? = try await events.next() else { throw Unexpected() }
      var names: [String] = []
      for round in 0..<4 {
        let writer = try daemon.connect()
        for index in 0..<5 {
          let name = "item \(round) \(index)"
          try writer.insert([Item(name: name)])
          names.append(name)
        }
        if round == 2 {
          try writer.delete(Item.self, where: #Predicate { $0.name == "item 0 0" })
          names.removeFirst()
        }
        daemon.kill()
        try daemon.start()
        while model.contents.map(\.name) != names {
          switch try await events.next() {
          case .snapshot(let rows): model = rows
          case .change(let change): try model.apply(change)
          case .current, .interrupted: continue
          case .resumed, nil: throw Unexpected()
          }
        }
        #expect(Set(model.map(\.identifier)).count == names.count)
      }
      #expect(try await client.fetch(Item.self, sortBy: byName) == model.contents)
    }

    @Test func `a watch goes on after a service that ended for another`() async throws {
      let client = try await client()
      var events = client.watch(Item.self).makeAsyncIterator()
      _ = try await events.next()
      #expect(try daemon.terminate() == 0)
      try daemon.start()
      try daemon.connect().insert([Item(name: "a")])
      let change = try await nextChange(&events)
      #expect(change.inserted.map(\.content.name) == ["a"])
    }

    @Test(arguments: seeds(3))
    func `live results are what a fetch brings, whatever is written and killed`(
      seed: UInt64
    ) async throws {
      var numbers = SeededGenerator(seed: seed)
      let client = try await client()
      let half = #Predicate<Item> { $0.n >= 50 }
      let byNumber = [SortDescriptor(\Item.n, order: .reverse), SortDescriptor(\Item.name)]
      let all = client.live(Item.self, sortBy: byName)
      let some = client.live(Item.self, where: half, sortBy: byNumber)
      let first = client.live(Item.self, where: half, sortBy: byNumber, limit: 5)
      let second = client.live(Item.self, sortBy: byNumber, limit: 4, offset: 3)
      for results in [all, some, first, second] { try await results.ready() }
      for round in 0..<6 {
        let writer = try daemon.connect()
        for _ in 0..<15 { try Self.write(writer, &numbers) }
        if round % 2 == 1 {
          daemon.kill()
          try daemon.start()
        }
        let reader = try daemon.connect()
        let expected = [
          try reader.fetch(Item.self, sortBy: byName),
          try reader.fetch(Item.self, where: half, sortBy: byNumber),
          try reader.fetch(Item.self, where: half, sortBy: byNumber, limit: 5),
          try reader.fetch(Item.self, sortBy: byNumber, limit: 4, offset: 3),
        ]
        for (results, rows) in zip([all, some, first, second], expected) {
          try await expectSoon("round \(round), \(String(describing: results.error))") {
            results.rows.map { Self.unversioned($0.record) } == rows.map(Self.unversioned)
          }
        }
      }
    }

    /// Returns an item without its version, which grows also when no value becomes another.
    private static func unversioned(_ item: Item) -> Item {
      var item = item
      item.version = 0
      return item
    }

    /// Inserts, changes, or deletes some items.
    private static func write(
      _ connection: BlockingConnection,
      _ numbers: inout SeededGenerator
    ) throws {
      let n = Int.random(in: 0..<100, using: &numbers)
      let range = n..<n + 10
      let near = #Predicate<Item> { range.contains($0.n) }
      switch Int.random(in: 0..<6, using: &numbers) {
      case 0: try connection.delete(Item.self, where: near)
      case 1: try connection.update(Item.self, where: near, set: [.set(\.n, to: 100 - n)])
      case 2: try connection.update(Item.self, where: near, set: [.set(\.text, to: "\(n)")])
      default:
        let items = (0...n % 3).map { index in
          Item(name: "\(numbers.next())", n: (n + index * 30) % 100)
        }
        try connection.insert(items)
      }
    }

    @Test func `live results follow a service that was killed`() async throws {
      let client = try await client()
      let results = client.live(Item.self, sortBy: byName)
      try await results.ready()
      daemon.kill()
      try await expectSoon("the loss is told") { !results.isLive }
      try daemon.start()
      let writer = try daemon.connect()
      try writer.insert([Item(name: "a")])
      try await expectSoon("the row is there") { results.isLive && results.rows.count == 1 }
      #expect(results.rows[0].name == "a")
    }

    @Test func `a blocking connection watches until it is told to stop`() throws {
      let connection = try daemon.connect()
      let writer = try daemon.connect()
      var seen: [Int] = []
      try connection.watch(Item.self) { _, rows in
        seen.append(rows?.count ?? -1)
        if seen.count < 3 { try writer.insert([Item(name: "item \(seen.count)")]) }
        return seen.count < 3
      }
      #expect(seen == [0, 1, 2])
      #expect(try connection.count(Item.self) == 2)
    }

    @Test func `a query that can't be watched is refused`() async throws {
      let client = try await client()
      let request = WatchRequest(.fetch(FetchRequest(entity: "Itme")))
      let connection = try daemon.connect()
      let error = #expect(throws: DepotError.self) {
        try connection.watch(request, frames: { _ in true })
      }
      #expect(error?.code == .unknownEntity)
      try await client.ping()
    }

    private func watch(_ arguments: String...) -> [String] {
      [Programs.depot, "--socket", daemon.socket, "--no-start", "watch"] + arguments
    }

    /// Waits until a watch of the command line is there.
    private func awaitWatch(_ output: () -> String, _ text: String) throws {
      try expectSoon("the watch shows \(text)") { output().contains(text) }
    }

    @Test func `the command line writes a line for each change in a pipe`() throws {
      let writer = try daemon.connect()
      try writer.insert([Item(name: "a", n: 1)])
      let program = try Program(
        watch("Item", "--sort", "name", "--select", "name,n", "--changes", "3")
      )
      try awaitWatch({ program.output }, #""name":"a""#)
      try writer.insert([Item(name: "b", n: 2)])
      try writer.update(Item.self, where: #Predicate { $0.name == "a" }, set: [.set(\.n, to: 9)])
      try awaitWatch({ program.output }, #""kind":"updated""#)
      try writer.delete(Item.self, where: #Predicate { $0.name == "a" })
      let outcome = try program.wait()
      #expect(outcome.status == 0, "\(outcome.errors)")
      let lines = try outcome.lines.map { try JSONValue(parsing: $0.utf8) }
      #expect(
        lines.compactMap { $0["kind"]?.string }
          == ["snapshot", "row", "inserted", "updated", "removed"]
      )
      #expect(lines[2]["at"] == .int64(1))
      #expect(lines[2]["row"]?["name"] == .string("b"))
      #expect(lines[3]["row"]?["n"] == .int64(9))
      #expect(lines[3]["properties"] == .array([.string("n")]))
      #expect(lines[4]["from"] == .int64(0))
    }

    @Test func `the command line goes on after the service was killed`() throws {
      let program = try Program(watch("Item", "--changes", "1", "--select", "name"))
      try awaitWatch({ program.output }, "snapshot")
      daemon.kill()
      try awaitWatch({ program.output }, "interrupted")
      try daemon.start()
      try daemon.connect().insert([Item(name: "after")])
      let outcome = try program.wait()
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains(#""name":"after""#))
    }

    @Test func `a count is watched, and an interruption ends it well`() throws {
      let program = try Program(watch("Item", "--count"))
      try awaitWatch({ program.output }, #""count":0"#)
      try daemon.connect().insert([Item(name: "a")])
      try awaitWatch({ program.output }, #""count":1"#)
      program.process.signal(SIGINT)
      #expect(try program.wait().status == 0)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
    func `a terminal shows a table that changes in place and stays at the end`() throws {
      let writer = try daemon.connect()
      try writer.insert([Item(name: "first", n: 1)])
      let command = watch("Item", "--select", "name,n", "--changes", "2").joined(separator: " ")
      let program = try Program(
        ["script", "-qefc", "stty rows 10 cols 70; exec \(command)", "/dev/null"],
        environment: ["TERM": "xterm", "NO_COLOR": ""]
      )
      try awaitWatch({ program.output }, "1 row ")
      try writer.insert([Item(name: "second", n: 2)])
      try awaitWatch({ program.output }, "+ Item/2")
      try writer.update(Item.self, where: #Predicate { $0.n == 1 }, set: [.set(\.n, to: 77)])
      let outcome = try program.wait()
      #expect(outcome.status == 0, "\(outcome.output)")
      let text = outcome.output
      #expect(text.contains("\u{1B}[?1049h"))
      #expect(text.contains("\u{1B}[7m"), "the changed value is highlighted")
      let end = try #require(text.range(of: "\u{1B}[?1049l"))
      let last = text[end.upperBound...].replacing("\r\n", with: "\n")
      #expect(last.contains("  Item/1  first   77\n  Item/2  second   2\n"), "\(last)")
    }

    private func nextChange(
      _ events: inout WatchedRecords<Item>.Iterator
    ) async throws -> LiveChange<Item> {
      while let event = try await events.next() {
        if case .change(let change) = event { return change }
      }
      throw Unexpected()
    }

    /// Something else came than what was waited for.
    private struct Unexpected: Error {}
  }
}
