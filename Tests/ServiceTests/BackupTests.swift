import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Backups of a real service, and what is restored from them.
  @Suite(.serialized) struct BackupTests {
    private let daemon: TestDaemon
    private var folder: String { daemon.folder.path }
    private var file: String { folder + "/backup.sqlite" }

    init() throws {
      daemon = try TestDaemon()
    }

    @discardableResult
    private func depot(_ arguments: String...) throws -> Outcome {
      let outcome = try daemon.depot(arguments)
      #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
      return outcome
    }

    /// Starts another service, with the store of a restored backup.
    private func serve(_ data: String) throws -> (TestProcess, BlockingConnection) {
      let socket = folder + "/restored"
      let process = try TestProcess(
        [Programs.daemon, "--socket", socket, "--data", data],
        output: .nothing,
        errors: .nothing
      )
      let connection = try #require(
        poll { try? BlockingConnection(socket: SocketPath(socket), name: "restored") }
      )
      return (process, connection)
    }

    private func count(_ connection: BlockingConnection) throws -> Int {
      try connection.count(CountRequest(entity: "Item"))
    }

    @Test func `a backup has rows, identifiers, and history, and is served elsewhere`() throws {
      let connection = try daemon.connect()
      try connection.fill(2000, textBytes: 300)
      try connection.delete(DeleteRequest(entity: "Item", rows: .identifiers([2000])))
      try connection.update(
        UpdateRequest(
          entity: "Item",
          rows: .identifiers([7]),
          columns: ["n"],
          values: RowBatch([[.int64(-7)]])
        )
      )
      let head = try connection.historyStatus().head
      let history = try daemon.depot(["log", "Item", "-o", "ndjson"]).output
      let report = try JSONValue(parsing: depot("backup", file, "-o", "json").bytes)
      #expect(report["token"]?.string == "\(head)")
      #expect(report["bytes"]?.int64 == Int64(FileManager.default.contents(atPath: file)!.count))
      #expect(!FileManager.default.fileExists(atPath: file + ".part"))
      // Later changes aren't in it.
      try connection.insert([Item(name: "later")])

      let data = folder + "/elsewhere"
      let restored = try depot("restore", file, "--data", data, "-o", "table")
      #expect(restored.output == "Restored \(data)/depot.sqlite.\n")
      let (process, other) = try serve(data)
      #expect(try count(other) == 1999)
      #expect(try other.historyStatus().head == head)
      let socket = folder + "/restored"
      let log = try Program.run([
        Programs.depot, "--socket", socket, "log", "Item", "-o", "ndjson",
      ])
      #expect(log.output == history)
      // Identifiers of deleted rows aren't given again.
      let inserted = try other.insert(
        InsertRequest(entity: "Item", columns: ["name"], rows: RowBatch([[.string("new")]]))
      )
      #expect((inserted.identifiers.first ?? 0) ?? 0 > 2000)
      // The new epoch's token is no token of the first service.
      let token = try other.historyStatus().head
      #expect(throws: DepotError.self) {
        try connection.row("Item", 7, at: token)
      }
      process.signal(SIGTERM)
      #expect(process.wait(within: patience) == 0)
    }

    @Test func `a backup under load is of one moment`() async throws {
      let rows = 40
      let connection = try daemon.connect()
      try connection.insert((0..<rows).map { Item(name: "account \($0)", n: 100) })
      let isDone = Shared(false)
      let transfers = Shared(0)
      let socket = daemon.socket
      let writers = (1...2).map { number in
        Task.detached {
          try await onThread {
            var random = SeededGenerator(seed: UInt64(number))
            let connection = try BlockingConnection(socket: SocketPath(socket))
            // Each has two accounts of its own, and moves something in one transaction.
            let accounts = [Int64(number * 2), Int64(number * 2 + 1)]
            while !isDone.value {
              let amount = Int64.random(in: 0...200, using: &random)
              let rows = RowBatch([
                [.int64(accounts[0]), .int64(amount)], [.int64(accounts[1]), .int64(200 - amount)],
              ])
              let change = SaveRequest.Change(entity: "Item", columns: ["$id", "n"], rows: rows)
              try connection.save(SaveRequest(updates: [change]))
              transfers.change { $0 += 1 }
            }
          }
        }
      }
      defer { isDone.change { $0 = true } }
      for round in 0..<4 {
        let before = transfers.value
        try await expectSoon("others write") { transfers.value > before + 20 }
        let file = folder + "/round-\(round)"
        try depot("backup", file, "--rate", "0", "-q")
        let data = folder + "/data-\(round)"
        try depot("restore", file, "--data", data)
        let (process, other) = try serve(data)
        var sum = 0
        for item in try other.fetch(Item.self) { sum += item.n }
        #expect(sum == rows * 100, "round \(round)")
        process.signal(SIGTERM)
        #expect(process.wait(within: patience) == 0)
      }
      isDone.change { $0 = true }
      for writer in writers { try await writer.value }
      #expect(transfers.value > 80)
    }

    @Test func `an earlier backup is replaced, and nothing else`() throws {
      try daemon.connect().insert([Item(name: "first")])
      try depot("backup", file)
      let first = FileManager.default.contents(atPath: file)
      try daemon.connect().insert([Item(name: "second")])
      // A killed backup left this.
      for end in ["", "-wal", ".lock"] {
        try "half".write(toFile: file + ".part" + end, atomically: false, encoding: .utf8)
      }
      try depot("backup", file)
      #expect(FileManager.default.contents(atPath: file) != first)
      for end in ["", "-wal", ".lock"] {
        #expect(!FileManager.default.fileExists(atPath: file + ".part" + end))
      }
      // One that was killed when its file had its name already left these.
      for end in ["-wal", ".lock"] {
        try "".write(toFile: file + ".part" + end, atomically: false, encoding: .utf8)
      }
      #expect(try depot("backup", file).status == 0)
      for end in ["-wal", ".lock"] {
        #expect(!FileManager.default.fileExists(atPath: file + ".part" + end))
      }
      let note = try daemon.folder.write("a letter", to: "letter")
      let refused = try daemon.depot(["backup", note])
      #expect(refused.status == 64)
      #expect(refused.errors.contains("is no earlier backup"))
      #expect(try String(contentsOfFile: note, encoding: .utf8) == "a letter")
      let pipe = folder + "/pipe"
      #expect(try Program.run(["mkfifo", pipe]).status == 0)
      #expect(try daemon.depot(["backup", pipe]).errors.contains("is no earlier backup"))
      let lost = try daemon.depot(["backup", folder + "/none/backup.sqlite"])
      #expect(lost.status == 66, "\(lost.errors)")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(!names.contains { $0.hasPrefix("backup.sqlite.") || $0.hasPrefix("letter.") })
    }

    @Test func `neither a store that is served nor a link or a pipe is taken for a backup`() throws
    {
      try daemon.connect().insert([Item(name: "kept")])
      try depot("backup", file)
      // Its file says what it is when the log was copied into it.
      #expect(try daemon.terminate() == 0)
      try daemon.start()
      let (link, pipe) = (folder + "/link", folder + "/pipe")
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: daemon.store)
      #expect(mkfifo(pipe, 0o600) == 0)
      for name in [daemon.store, link, pipe] {
        let refused = try daemon.depot(["backup", name])
        #expect(refused.status == 64, "\(name): \(refused.errors)")
      }
      try daemon.connect().insert([Item(name: "kept too")])
      #expect(try daemon.terminate() == 0)
      for name in [link, pipe] {
        let from = try daemon.depot(["restore", name, "--data", folder + "/d"])
        let to = try daemon.depot(["restore", file, "--store", name, "--replace"])
        #expect(from.status == 64 && to.status == 64, "\(from.errors), \(to.errors)")
      }
      try daemon.start()
      #expect(try count(daemon.connect()) == 2)
    }

    @Test func `a restore replaces a store only if it is told to, and says how far it is behind`()
      throws
    {
      let connection = try daemon.connect()
      try connection.insert([Item(name: "kept")])
      try depot("backup", file)
      for number in 0..<5 { try connection.insert([Item(name: "lost \(number)")]) }
      let head = try connection.historyStatus().head
      let busy = try daemon.depot(["restore", file, "--store", daemon.store, "--replace"])
      #expect(busy.status == 75 || busy.status == 69)
      #expect(busy.errors.contains("is in use by process"))
      #expect(try daemon.terminate() == 0)
      let refused = try daemon.depot(["restore", file, "--store", daemon.store])
      #expect(refused.status == 64)
      #expect(refused.errors.contains("There is a store at \(daemon.store)"))
      let outcome = try depot(
        "restore",
        file,
        "--store",
        daemon.store,
        "--replace",
        "-o",
        "json"
      )
      let report = try JSONValue(parsing: outcome.bytes)
      #expect(report["behind"] == .int64(5))
      let old = try #require(report["replaced"]?.string)
      #expect(old == daemon.store + ".replaced-1")
      try daemon.start()
      #expect(try count(daemon.connect()) == 1)
      let error = #expect(throws: DepotError.self) {
        try daemon.connect().row("Item", 1, at: head)
      }
      #expect(error?.code == .historyForeign)
      // The way back.
      #expect(try daemon.terminate() == 0)
      let back = try depot("restore", old, "--store", daemon.store, "--replace", "-o", "table")
      #expect(back.output.contains("the backup has transactions that it hasn't"))
      try daemon.start()
      #expect(try count(daemon.connect()) == 6)
    }

    @Test func `a store that can't be opened is replaced too, and kept`() throws {
      let connection = try daemon.connect()
      try connection.fill(500, textBytes: 200)
      try depot("backup", file)
      daemon.kill()
      // Its log is gone, and the state knows.
      try FileManager.default.removeItem(atPath: daemon.store + "-wal")
      let outcome = try depot("restore", file, "--store", daemon.store, "--replace", "-o", "table")
      #expect(outcome.output.contains("Nobody can know how far it is behind"), "\(outcome.output)")
      #expect(FileManager.default.fileExists(atPath: daemon.store + ".replaced-1"))
      try daemon.start()
      #expect(try count(daemon.connect()) == 500)
    }

    @Test func `a damaged backup is refused, and the store stays`() throws {
      let connection = try daemon.connect()
      try connection.fill(500, textBytes: 200)
      try depot("backup", file)
      var bytes = try #require(FileManager.default.contents(atPath: file))
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: URL(filePath: file))
      #expect(try daemon.terminate() == 0)
      for (name, status) in [(file, 74), (folder + "/nothing", 66)] {
        let refused = try daemon.depot(["restore", name, "--store", daemon.store, "--replace"])
        #expect(refused.status == status, "\(refused.errors)")
      }
      try bytes.dropLast(2048).write(to: URL(filePath: file))
      #expect(try daemon.depot(["restore", file, "--data", folder + "/d"]).status == 74)
      try daemon.start()
      #expect(try count(daemon.connect()) == 500)
      #expect(!FileManager.default.fileExists(atPath: daemon.store + ".restoring"))
    }

    @Test func `the stores of a container are backed up as of one moment`() throws {
      let connection = try daemon.connect()
      _ = try connection.openContainer(ContainerTests.shop)
      let shop = try ContainerTests.connect(daemon, "shop")
      try shop.insert(ContainerTests.row("Order", "first"))
      try shop.insert(ContainerTests.row("Item", "thing"))
      let refused = try daemon.depot(["call", "backup", "{}", "--container", "shop"])
      #expect(refused.errors.contains("orders"), "\(refused.errors)")
      let target = folder + "/shop"
      try depot("--container", "shop", "backup", target)
      let names = try FileManager.default.contentsOfDirectory(atPath: target).sorted()
      #expect(names == ["orders.sqlite", "rest.sqlite"])
      for name in names {
        try depot("restore", "\(target)/\(name)", "--data", folder + "/\(name)-data")
      }
      try depot("--container", "shop", "backup", folder + "/one", "--store", "rest")
      let again = try daemon.depot(["--container", "shop", "backup", target])
      #expect(again.status == 64)
      let sound = try depot("--container", "shop", "check", "-o", "json")
      #expect(try JSONValue(parsing: sound.bytes)["stores"]?.array?.count == 2)
    }

    @Test func `a check says in one line that the store is sound, and what isn't`() throws {
      try daemon.connect().fill(800, textBytes: 400)
      #expect(try depot("check").output.hasPrefix("The store is sound: "))
      #expect(try depot("check", "-q").output == "")
      // The file has everything, and the service forgets what it has in memory.
      #expect(try daemon.terminate() == 0)
      var bytes = try #require(FileManager.default.contents(atPath: daemon.store))
      let place = try #require(bytes.firstRange(of: Data("xxxxxxxxxxxxxxxx".utf8)))
      bytes[place.lowerBound] ^= 1
      try bytes.write(to: URL(filePath: daemon.store))
      try daemon.start()
      let outcome = try daemon.depot(["check"])
      #expect(outcome.status == 74)
      #expect(outcome.lines.first == "1 problem in the store.")
      #expect(outcome.lines.last?.contains(" of the store is damaged: ") == true)
      let backup = try daemon.depot(["backup", file])
      #expect(backup.status == 74)
      #expect(!FileManager.default.fileExists(atPath: file))
      #expect(!FileManager.default.fileExists(atPath: file + ".part"))
    }

    @Test(.enabled(if: Programs.isInstalled("strace")), arguments: ["write", "fsync", "rename"])
    func `a backup that is killed leaves the earlier one`(call: String) throws {
      let connection = try daemon.connect()
      try connection.fill(300, textBytes: 500)
      try depot("backup", file)
      let earlier = try #require(FileManager.default.contents(atPath: file))
      try connection.insert([Item(name: "new")])
      var kills = 0
      for point in [1, 2, 3, 5, 8] {
        let outcome = try Program.run([
          "strace", "-o", folder + "/trace", "-e", "trace=\(call)", "-e",
          "inject=\(call):signal=SIGKILL:when=\(point)", Programs.depot, "--socket", daemon.socket,
          "backup", file,
        ])
        let now = try #require(FileManager.default.contents(atPath: file))
        if outcome.status != 0 { kills += 1 }
        // The rename may have been done when the process died.
        if now != earlier {
          let check = try Program.run([Programs.daemon, "--check", "--store", file])
          #expect(check.status == 0, "\(call) \(point)")
        }
      }
      #expect(kills > 0)
      try depot("backup", file)
      #expect(FileManager.default.contents(atPath: file) != earlier)
    }
  }
}
