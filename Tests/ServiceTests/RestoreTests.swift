import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Tokens and watches of a real service whose store is restored from a copy of its files.
  @Suite(.disabled(if: Programs.keepStoresInCluster, "a backup takes the place of a file"))
  struct RestoreTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon()
    }

    private var backup: String { daemon.folder.path + "/backup" }

    /// Copies the files of the store, to which nobody writes meanwhile.
    private func backUp() throws {
      for suffix in ["", "-wal", ".state"] {
        try FileManager.default.copyItem(atPath: daemon.store + suffix, toPath: backup + suffix)
      }
    }

    /// Stops the service, puts the copy into the place of the store, lets a service that nobody else knows of
    /// insert items, and starts it again.
    private func restore(inserting names: [String] = []) throws {
      #expect(try daemon.terminate() == 0)
      for suffix in ["", "-wal", ".state"] {
        try? FileManager.default.removeItem(atPath: daemon.store + suffix)
        guard FileManager.default.fileExists(atPath: backup + suffix) else { continue }
        try FileManager.default.copyItem(atPath: backup + suffix, toPath: daemon.store + suffix)
      }
      if !names.isEmpty {
        let socket = daemon.folder.path + "/other"
        let other = try TestProcess(
          [Programs.daemon, "--socket", socket, "--store", daemon.store],
          output: .nothing,
          errors: .nothing
        )
        let connection = try #require(
          poll { try? BlockingConnection(socket: SocketPath(socket), name: "other") }
        )
        try insert(names, connection)
        other.signal(SIGTERM)
        #expect(other.wait(within: patience) == 0)
      }
      try daemon.start()
    }

    @discardableResult
    private func insert(
      _ names: [String],
      _ other: BlockingConnection? = nil
    ) throws -> [HistoryToken] {
      let connection = try other ?? daemon.connect()
      return try names.map { name in
        try connection.insert([Item(name: name)])
        return try connection.historyStatus().head
      }
    }

    private func names(_ prefix: String, _ count: Int) -> [String] {
      (1...count).map { "\(prefix) \($0)" }
    }

    @Test func `a token of what a restore took away is foreign for ever`() throws {
      let kept = try insert(names("kept", 3))
      try backUp()
      let lost = try insert(names("lost", 10))
      try restore()
      for round in 0..<2 {
        let connection = try RawConnection(daemon.socket)
        for (number, token) in lost.enumerated() {
          let id = number * 3 + 1
          let watch = #"{"fetch":{"entity":"Item"},"since":"\#(token)","onExpired":"error"}"#
          try connection.call(id, "watch", watch)
          #expect(try connection.receive()["err"]?["code"]?.string == "history.foreign")
          try connection.call(id + 1, "history", #"{"since":"\#(token)"}"#)
          #expect(try connection.receive()["err"]?["code"]?.string == "history.foreign")
        }
        if round == 0 { try insert(names("other", 15)) }
      }
      let log = try daemon.depot(["log", "--since", "\(lost[4])"])
      #expect(log.status != 0)
      #expect(log.errors.contains("restored from a backup"), "\(log.errors)")
      #expect(try daemon.depot(["log", "--since", "\(kept[2])", "-o", "ndjson"]).lines.count == 15)
      // A stop and a start change nothing.
      #expect(try daemon.terminate() == 0)
      try daemon.start()
      #expect(try daemon.depot(["log", "--since", "\(lost[4])"]).status == log.status)
      #expect(try daemon.depot(["log", "--since", "\(kept[2])", "-o", "ndjson"]).lines.count == 15)
    }

    @Test func `a client that resumes with a lost token begins with all rows`() throws {
      try insert(names("kept", 3))
      try backUp()
      let lost = try insert(names("lost", 10))
      try restore()
      try insert(names("other", 15))
      let connection = try RawConnection(daemon.socket)
      let fetch = #"{"fetch":{"entity":"Item","select":["name"]},"since":"\#(lost[9])"}"#
      try connection.call(1, "watch", fetch)
      let snapshot = try connection.receive()
      #expect(snapshot["kind"]?.string == "snapshot")
      #expect(snapshot["next"]?.array?.count == 18)
      #expect(try connection.receive()["kind"]?.string == "live")
      try connection.call(2, "watch", #"{"history":{},"since":"\#(lost[9])"}"#)
      let gap = try connection.receive()
      #expect(gap["kind"]?.string == "gap")
      #expect(gap["from"]?.string == "\(lost[9])")
      #expect(try connection.receive()["kind"]?.string == "live")
      try insert(["last"])
      var kinds: [Int64: String] = [:]
      for _ in 0..<2 {
        let frame = try connection.receive()
        kinds[try #require(frame["id"]?.int64)] = frame["kind"]?.string
      }
      #expect(kinds == [1: "change", 2: "change"])
    }

    @Test(arguments: [false, true])
    func `watchers over a restore hold the rows that there are`(isLate: Bool) async throws {
      try insert(names("kept", 3))
      try backUp()
      let client = try await Client(socket: SocketPath(daemon.socket), name: "watcher")
      let seen = Shared<[String]>([])
      let count = Shared<Int>(0)
      let told = Shared<(names: [String], gaps: Int)>(([], 0))
      let tasks = [
        Task {
          for try await rows in client.watch(Item.self).snapshots {
            seen.change { $0 = rows.contents.map(\.name).sorted() }
          }
        },
        Task {
          for try await answer in client.watchCount(Item.self) {
            count.change { $0 = answer.value }
          }
        },
        Task {
          for try await event in client.watchHistory(HistoryRequest(entity: "Item")) {
            switch event {
            case .transaction(let transaction):
              told.change { $0.names.append("\(transaction.token)") }
            case .gap: told.change { $0.gaps += 1 }
            case .current, .interrupted: break
            }
          }
        },
      ]
      defer { for task in tasks { task.cancel() } }
      let command = [Programs.depot, "--socket", daemon.socket, "--no-start", "watch", "Item"]
      let program = try Program(command + ["-o", "ndjson"])
      try await expectSoon("the command line watches") { program.output.contains("kept 3") }
      try await expectSoon("all watch") { seen.value.count == 3 && count.value == 3 }
      try insert(names("lost", 10))
      try await expectSoon("all know of what will be lost") {
        seen.value.count == 13 && count.value == 13 && program.output.contains("lost 10")
          && told.value.names.count == 10
      }
      // Watchers that come late find the numbers that they know given out again.
      try restore(inserting: isLate ? names("other", 15) : [])
      try await expectSoon("the history goes on from here") { told.value.gaps == 1 }
      if !isLate { try insert(names("other", 15)) }
      let last = try insert(["the last"])[0]
      let rows = (names("kept", 3) + names("other", 15) + ["the last"]).sorted()
      try await expectSoon("all hold what there is") {
        seen.value == rows && count.value == 19 && told.value.names.last == "\(last)"
      }
      #expect(told.value.gaps == 1)
      #expect(Set(told.value.names).count == told.value.names.count)
      try await expectSoon("the command line tells all") { program.output.contains("the last") }
      program.process.signal(SIGINT)
      let lines = try program.wait().lines.map { try JSONValue(parsing: $0.utf8) }
      #expect(try held(lines).sorted() == rows)
    }

    /// The names that somebody has who does what `depot watch` says.
    private func held(_ lines: [JSONValue]) throws -> [String] {
      var rows: [String: String] = [:]
      for line in lines {
        let row = line["row"]
        switch line["kind"]?.string {
        case "snapshot": rows = [:]
        case "row", "inserted", "updated":
          rows[try #require(row?["$id"]?.string)] = try #require(row?["name"]?.string)
        case "removed": rows[try #require(row?["$id"]?.string)] = nil
        default: break
        }
      }
      return Array(rows.values)
    }
  }
}
