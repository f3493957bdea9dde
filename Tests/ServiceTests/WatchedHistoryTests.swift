import DepotClient
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Watches of a real service's history, by clients and by the command line.
  @Suite struct WatchedHistoryTests {
    private struct Unexpected: Error {}

    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon()
    }

    private func client(_ author: String? = nil) async throws -> Client {
      try await Client(
        socket: SocketPath(daemon.socket),
        name: "watcher",
        options: ClientOptions(author: author)
      )
    }

    @Test func `a watched history has every transaction once, also across a kill`() async throws {
      let client = try await client()
      var events = client.watchHistory(HistoryRequest(entity: "Item")).makeAsyncIterator()
      guard case .current? = try await events.next() else { throw Unexpected() }
      var tokens: [HistoryToken] = []
      for round in 0..<2 {
        let writer = try daemon.connect()
        for index in 0..<3 { try writer.insert([Item(name: "item \(round) \(index)")]) }
        if round == 0 { daemon.kill() }
        while tokens.count < (round + 1) * 3 {
          guard case .transaction(let transaction)? = try await events.next() else {
            if round == 0, tokens.count < 3, !daemon.process.isRunning { try daemon.start() }
            continue
          }
          #expect(transaction.changes.map(\.kind) == [.insert])
          #expect(transaction.changes.first?.id(of: Item.self) != nil)
          tokens.append(transaction.token)
        }
        if !daemon.process.isRunning { try daemon.start() }
      }
      #expect(Set(tokens).count == 6)
      #expect(tokens == tokens.sorted())
    }

    @Test func `a slow loop gets what the watch left out`() async throws {
      let client = try await client()
      var events = client.watchHistory(HistoryRequest(entity: "Item")).makeAsyncIterator()
      guard case .current? = try await events.next() else { throw Unexpected() }
      let writer = try daemon.connect()
      let identifiers = try writer.insert([Item(name: "a")])
      var count = 1
      // A few frames are taken; then more transactions wait than the service keeps for a slow client.
      let connection = try RawConnection(daemon.socket)
      for number in 0..<12_000 {
        let rows = #"{"entity":"Item","ids":[\#(identifiers[0].value)]"#
        try connection.call(number + 1, "update", rows + #","set":{"n":\#(number + 1)}}"#)
        count += 1
        guard count % 40 == 1 else { continue }
        for _ in 0..<40 { #expect(try connection.receive()["ok"] != nil) }
      }
      var tokens: [HistoryToken] = []
      while tokens.count < count {
        guard case .transaction(let transaction)? = try await events.next() else { continue }
        tokens.append(transaction.token)
      }
      #expect(tokens == tokens.sorted())
      #expect(Set(tokens).count == count)
    }

    @Test func `authors undo what is theirs`() async throws {
      let ann = try await client("ann")
      let ben = try BlockingConnection(socket: SocketPath(daemon.socket), author: "ben")
      try await ann.insert([Item(name: "a")])
      try ben.insert([Item(name: "b")])
      var authors: [String?] = []
      try ben.history { authors.append($0.author) }
      #expect(authors.suffix(2) == ["ann", "ben"])
      try await ann.undo()
      #expect(try ben.fetch(Item.self).map(\.name) == ["b"])
      #expect(try daemon.depot(["insert", "Item", "name=c", "--author", "me"]).status == 0)
      #expect(try daemon.depot(["insert", "Item", "name=d"]).status == 0)
      #expect(try daemon.depot(["undo", "--author", "me"]).status == 0)
      #expect(try ben.fetch(Item.self).map(\.name).sorted() == ["b", "d"])
    }

    @Test func `the command line follows the history until it is interrupted`() throws {
      let writer = try daemon.connect()
      try writer.insert([Item(name: "before")])
      let command = [Programs.depot, "--socket", daemon.socket, "--no-start", "log", "-f", "Item"]
      let program = try Program(command)
      try expectSoon("the last are shown") { program.output.contains("before") }
      try writer.insert([Item(name: "first")])
      try expectSoon("the next is shown") { program.output.contains("first") }
      daemon.kill()
      try expectSoon("the loss is told") { program.errors.contains("Going on") }
      try daemon.start()
      try daemon.connect().insert([Item(name: "second")])
      try expectSoon("it goes on") { program.output.contains("second") }
      program.process.signal(SIGINT)
      let outcome = try program.wait()
      #expect(outcome.status == 0, "\(outcome.errors)")
      let names = try outcome.lines.map { line in
        let transaction = try JSONValue(parsing: line.utf8)
        return transaction["changes"]?.array?.first?["new"]?["name"]?.string
      }
      #expect(names == ["before", "first", "second"])
    }
  }
}
