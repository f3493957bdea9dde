import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// The history and undo, between real processes.
  @Suite(.serialized) struct HistoryServiceTests {
    private func size(_ connection: BlockingConnection) throws -> Int? {
      try connection.fetch(Item.self).first?.n
    }

    private func setSize(_ connection: BlockingConnection, _ size: Int) throws {
      _ = try connection.call(
        "update",
        arguments: .object([
          "entity": .string("Item"), "ids": .array([.int64(1)]),
          "set": .object(["n": .int64(Int64(size))]),
        ])
      )
    }

    @Test func `clients read the history, the past, and who made it`() async throws {
      let daemon = try TestDaemon()
      let connection = try daemon.connect()
      try connection.insert([Item(name: "a")])
      let inserted = try connection.historyStatus().head
      try setSize(connection, 5)
      try setSize(connection, 6)
      var kinds: [String] = []
      let end = try connection.history(HistoryRequest(since: .token(inserted))) { transaction in
        #expect(transaction.process?.hasPrefix("test/") == true)
        for change in transaction.changes {
          kinds.append(change.kind.rawValue)
          #expect(change.old["n"] != nil)
          #expect(change.new["n"] != nil)
        }
      }
      #expect(kinds == ["update", "update"])
      #expect(end.transactions == 2)
      #expect(try connection.row("Item", 1, at: inserted).values?["n"] == .int64(0))
      #expect(try connection.blame("Item", 1).properties["n"]?.token == end.token)
      #expect(try connection.blame("Item", 1).inserted?.token == inserted)

      let client = try await Client(socket: SocketPath(daemon.socket))
      var tokens: [HistoryToken] = []
      for try await transaction in client.history() { tokens.append(transaction.token) }
      #expect(tokens.count == 4)
      #expect(tokens.last == end.token)
      #expect(try await client.row("Item", 1, at: end.token).values?["n"] == .int64(6))
      let result = try await client.undo()
      #expect(result.undone == [end.token])
      #expect(try size(connection) == 5)
      try await client.redo()
      #expect(try size(connection) == 6)
      try await client.acknowledgeHistory(inserted, consumer: "c")
      #expect(try await client.historyStatus().consumers.map(\.token) == [inserted])
      #expect(try await client.deleteHistory(before: .token(end.token)) == 3)
      #expect(try await client.historyStatus().consumers.map(\.isExpired) == [true])
      try await client.forgetHistoryConsumer("c")
      let error = await #expect(throws: DepotError.self) {
        try await client.row("Item", 1, at: inserted)
      }
      #expect(error?.code == .historyExpired)
    }

    @Test func `a slow reader of a large transaction costs little memory, and can cancel`() throws {
      let daemon = try TestDaemon()
      let connection = try daemon.connect()
      try connection.fill(60_000, textBytes: 200)
      _ = try connection.call(
        "delete",
        arguments: .object(["entity": .string("Item"), "where": .object(["value": .bool(true)])])
      )
      let before = try daemon.status("VmRSS")
      let raw = try RawConnection(daemon.socket)
      try raw.send(#"{"id":9,"call":"history","args":{"entity":"Item"},"credit":2}"#)
      let first = try raw.receive()
      #expect(first["next"]?.array?.last?["more"] == .bool(true))
      _ = try raw.receive()
      try raw.send(#"{"id":10,"call":"ping"}"#)
      #expect(try raw.receive()["id"] == .int64(10))
      try raw.send(#"{"id":9,"cancel":true}"#)
      #expect(try raw.receive()["err", "code"]?.string == "cancelled.by_client")
      var changes = 0
      try connection.history(HistoryRequest(entity: "Item")) { changes += $0.changes.count }
      #expect(changes == 120_000)
      #expect(try daemon.status("VmRSS") - before < 64 << 10)
    }

    @Test func `an undo that was under way when the service was killed is done once`() throws {
      let daemon = try TestDaemon()
      try daemon.connect().insert([Item(name: "a")])
      var inDoubt = 0
      for round in 1...12 {
        let connection = try daemon.connect()
        try setSize(connection, round)
        let token = try connection.historyStatus().head
        let key = "undo \(round)"
        let process = daemon.identifier
        // Sooner or later within the call.
        let killer = Thread {
          Thread.sleep(forTimeInterval: Double(round) * 0.0002)
          kill(process, SIGKILL)
        }
        killer.start()
        do {
          try connection.undo(.token(token), key: key)
        } catch let error as DepotError {
          #expect([.disconnected, .noService].contains(error.code))
          inDoubt += 1
        }
        daemon.kill()
        try daemon.start()
        let again = try daemon.connect()
        let result = try again.undo(.token(token), key: key)
        #expect(result.undone == [token])
        #expect(try size(again) == 0)
        var undos = 0
        try again.history(HistoryRequest(since: .token(token))) { transaction in
          #expect(transaction.origin == "undo:\(token)")
          undos += 1
        }
        #expect(undos == 1)
      }
      #expect(inDoubt > 0)
      #expect(try daemon.terminate() == 0)
      #expect(try Program.run([Programs.daemon, "--check", "--store", daemon.store]).status == 0)
    }

    @Test func `the command line shows the past and undoes it`() throws {
      let daemon = try TestDaemon()
      #expect(try daemon.depot(["insert", "Item", "name=a", "n:=1"]).status == 0)
      let errors = try daemon.depot(["history", "-o", "ndjson"]).errors
      let token = try #require(errors.split(separator: "\n").last.map { String($0) })
      #expect(try daemon.depot(["update", "Item/1", "n:=2"]).status == 0)
      let history = try daemon.depot(["history", "Item/1", "-o", "ndjson"])
      #expect(history.lines.count == 2)
      #expect(history.output.contains(#""new":{"n":2}"#))
      let table = try daemon.depot(["history", "Item", "--properties", "n", "-o", "table"])
      #expect(table.output.contains("n: 1 → 2"))
      let log = try daemon.depot(["log", "-o", "table", "--limit", "1"])
      #expect(log.output.contains("update Item/1"))
      #expect(log.output.contains("depot/"))
      #expect(try daemon.depot(["blame", "Item/1", "-o", "table"]).output.contains("(inserted)"))
      let shown = try daemon.depot(["show", "Item/1", "--at", token, "-o", "table"])
      #expect(shown.output.contains("1"))
      #expect(try daemon.depot(["show", "Item/9", "--at", token]).status == 1)
      #expect(try daemon.depot(["show", "Item/1"]).status == 64)
      let undone = try daemon.depot(["undo", "-o", "table"])
      #expect(undone.output.hasPrefix("Undid "), "\(undone.errors)")
      #expect(try daemon.depot(["get", "Item/1", "--select", "n"]).output.contains("1"))
      #expect(try daemon.depot(["redo"]).status == 0)
      #expect(try daemon.depot(["get", "Item/1", "--select", "n"]).output.contains("2"))
      #expect(try daemon.depot(["undo", "--author", "nobody"]).status == 1)
      #expect(try daemon.depot(["history", "--status", "-o", "table"]).output.contains("last: "))
      #expect(try daemon.depot(["history", "--consumer", "c", "--acknowledge"]).status == 0)
      #expect(try daemon.depot(["history", "--consumer", "c", "-o", "ndjson"]).output == "")
      #expect(try daemon.depot(["history", "--consumer", "c", "--forget"]).status == 0)
      #expect(try daemon.depot(["history", "--delete-before", "2999-01-01T00:00:00Z"]).status == 0)
      #expect(try daemon.depot(["history", "--since", token]).status == 1)
    }

    @Test func `what a command did in many transactions is undone as one`() throws {
      let daemon = try TestDaemon()
      let file = daemon.folder.path + "/items.csv"
      let lines = (0..<5000).map { "item \($0),\($0)" }
      try Data("name,n\n\(lines.joined(separator: "\n"))\n".utf8)
        .write(to: URL(fileURLWithPath: file))
      let imported = try daemon.depot(["import", "Item", file, "--batch", "100"])
      #expect(imported.status == 0, "\(imported.errors)")
      func count() throws -> String { try daemon.depot(["count", "Item"]).output }
      let log = try daemon.depot(["log", "-o", "table"]).output
      #expect(log.contains("50 transactions: 5,000 rows inserted"), "\(log)")
      #expect(!log.contains("insert Item/1\n"))
      #expect(
        try daemon.depot(["log", "-o", "table", "--each", "--limit", "1"]).lines.count == 101
      )
      let undone = try daemon.depot(["undo", "-o", "table"])
      #expect(undone.output.hasPrefix("Undid 50 transactions in "), "\(undone)")
      #expect(try count() == "0\n")
      #expect(try daemon.depot(["redo"]).status == 0)
      #expect(try count() == "5000\n")
      let chunked = ["update", "Item", "--all", "n:=1", "--chunk", "200"]
      #expect(try daemon.depot(chunked).status == 0)
      #expect(try daemon.depot(["undo"]).status == 0)
      #expect(try daemon.depot(["count", "Item", "--where", "n == 1"]).output == "1\n")
    }

    @Test func `history that is too old goes by itself`() throws {
      let daemon = try TestDaemon(["--history-age", "0s"])
      let connection = try daemon.connect()
      try connection.insert([Item(name: "a")])
      try expectSoon("the history stays") {
        try connection.historyStatus().oldest == nil
      }
    }
  }
}
