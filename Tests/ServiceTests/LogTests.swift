import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// The log of a service.
  @Suite(.serialized) struct LogTests {
    private func lines(_ daemon: TestDaemon) throws -> [JSONValue] {
      try daemon.log.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    }

    @Test(arguments: ["text", "json"])
    func `every line begins with its time`(format: String) throws {
      let begin = Date()
      let daemon = try TestDaemon(["--log-format", format])
      #expect(try daemon.terminate() == 0)
      let lines = daemon.log.split(separator: "\n")
      #expect(lines.count >= 3)
      let start = format == "text" ? "time=" : #"{"time":""#
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      for line in lines {
        try #require(line.hasPrefix(start), "\(line)")
        let text = line.dropFirst(start.count).prefix(24)
        let time = try style.parse(String(text))
        #expect(time.timeIntervalSince(begin) > -1 && time.timeIntervalSinceNow < 1, "\(line)")
      }
    }

    @Test func `the journal gets priorities instead, and only the journal`() throws {
      let folder = try TemporaryFolder()
      let log = try folder.write("", to: "journal")
      let facts = try FileManager.default.attributesOfItem(atPath: log)
      let inode = try #require(facts[.systemFileNumber] as? Int)
      let device = try Program.run(["stat", "-c", "%d", log]).output.trimmingCharacters(
        in: .newlines
      )
      for (name, isJournal) in [("\(device):\(inode)", true), ("\(device):1", false)] {
        let daemon = try TestDaemon(
          suffix: "2>>\(log)",
          environment: ["JOURNAL_STREAM": name],
          schema: ""
        )
        #expect(try daemon.terminate() == 0)
        let text = try String(contentsOfFile: log, encoding: .utf8)
        // Where the system lacks something, a warning comes before the service is ready.
        let start = isJournal ? /<[45]>level=(?:warning|notice) msg=/ : /time=/
        for line in text.split(separator: "\n") { #expect(line.starts(with: start), "\(text)") }
        #expect(text.contains("msg=ready"), "\(text)")
        try Data().write(to: URL(filePath: log))
      }
    }

    @Test func `a slow call tells what it looked for without the values, and what would help`()
      throws
    {
      let daemon = try TestDaemon(["--log-format", "json", "--slow-ms", "0"])
      let connection = try daemon.connect()
      try connection.fill(5000)
      let predicate = "n == 471100815 AND text != 'secret' AND name IN {'x', 'y'}"
      let arguments = JSONValue.object([
        "entity": .string("Item"), "where": .string(predicate), "batch": .int64(1),
      ])
      _ = try connection.call("fetch", arguments: arguments)
      let count = JSONValue.object(["entity": .string("Item"), "where": .string(predicate)])
      _ = try connection.call("count", arguments: count)
      let update = JSONValue.object([
        "entity": .string("Item"), "where": .string("n == 471100815"),
        "set": .object(["text": .string("secret")]),
      ])
      _ = try connection.call("update", arguments: update)
      // The store may answer a write before the service takes note of that.
      try expectSoon("not logged") { daemon.log.contains(#""op":"update""#) }
      #expect(!daemon.log.contains("471100815"))
      #expect(!daemon.log.contains("secret"))
      let slow = try lines(daemon).filter { $0["msg"]?.string == "slow call" }
      for operation in ["fetch", "count", "update"] {
        let line = try #require(slow.first { $0["op"]?.string == operation })
        #expect(line["entity"]?.string == "Item")
        #expect(line["ms"]?.int64 != nil)
        #expect(["full", "none"].contains(line["scan"]?.string))
        let shape = line["where"]?.string
        #expect(
          shape == (operation == "update" ? "n == ?" : "n == ? AND text != ? AND name IN {?}")
        )
      }
      let update2 = try #require(slow.last { $0["op"]?.string == "update" })
      #expect(update2["advice"]?.string?.contains("Item.n") == true)
      #expect(update2["scanned"]?.int64 ?? 0 >= 4999)
      let listed = try daemon.stats()["slow"]?.array ?? []
      #expect(listed.contains { $0["where"]?.string == "n == ?" && $0["fullScan"] == .bool(true) })
    }

    @Test func `a long read tells how many rows it looked at`() throws {
      let daemon = try TestDaemon(["--log-format", "json", "--slow-ms", "0"])
      let connection = try daemon.connect()
      try connection.fill(50_000)
      // Its rows are sent in several frames, so that it isn't answered on the service's own thread.
      let predicate = QueryExpression.comparison(.notEqual, .attribute("n"), .value(.int64(-1)))
      let request = FetchRequest(entity: "Item", predicate: predicate, select: ["name"])
      _ = try connection.fetch(request) { row in
        while !row.isAtEndOfRow() { _ = try row.text() }
      }
      try expectSoon("not logged") { daemon.log.contains(#""scanned""#) }
      let line = try #require(
        try lines(daemon).first { $0["op"]?.string == "fetch" && $0["scanned"] != nil }
      )
      #expect(line["scanned"]?.int64 ?? 0 >= 49_999)
      #expect(line["scan"]?.string == "full")
    }

    @Test func `a log's file begins anew at its limit, and is opened again at SIGHUP`() throws {
      let folder = try TemporaryFolder()
      let path = folder.path + "/log"
      let daemon = try TestDaemon([
        "--log-file", path, "--log-file-bytes", "4096", "--slow-ms", "0",
      ])
      let connection = try daemon.connect()
      for _ in 0..<500 { try connection.ping() }
      let sizes = [path, path + ".1"].map { FileSystem.size(of: $0) ?? 0 }
      #expect(sizes.allSatisfy { 1..<3 * 4096 ~= $0 }, "\(sizes)")
      try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
      daemon.send(SIGHUP)
      try expectSoon("not opened again") {
        (try? String(contentsOfFile: path, encoding: .utf8))?.contains("reloaded") == true
      }
      #expect(daemon.log.isEmpty)
    }

    @Test func `a service that a client starts keeps its log short and tells why it can't serve`()
      throws
    {
      let folder = try TemporaryFolder()
      let environment = StartedService.environment(in: folder.path).merging([
        "DEPOT_DAEMON": Programs.daemon
      ]) { $1 }
      let socket = StartedService.socket(in: folder.path)
      defer { StartedService.end(at: socket) }
      let outcome = try Program.run([Programs.depot, "stats"], environment: environment)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let log = URL(filePath: socket).deletingLastPathComponent().appending(path: "depotd.log")
      #expect(try String(contentsOf: log, encoding: .utf8).contains("msg=ready"))
    }

    @Test func `the service manager hears that the service is alive as often as it asks`() throws {
      let folder = try TemporaryFolder()
      let path = folder.path + "/notify"
      let script = """
        import os, socket, sys
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.bind(sys.argv[1])
        print("bound", flush=True)
        count = 0
        while count < 5:
            if s.recv(4096) == b"WATCHDOG=1": count += 1
        print("alive", flush=True)
        """
      let manager = try Program(["python3", "-c", script, path])
      try expectSoon("not bound") { manager.output.contains("bound") }
      let daemon = try TestDaemon(
        environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"],
        schema: ""
      )
      #expect(try manager.wait().output.contains("alive"), "\(daemon.log)")
    }

    @Test func `a wrong configuration is told with its file and line`() throws {
      let folder = try TemporaryFolder()
      let file = try folder.write("# fine\nslow-ms = soon\n", to: "depotd.conf")
      let outcome = try Program.run([
        Programs.daemon, "--config", file, "--socket", folder.path + "/s", "--store",
        folder.path + "/x.sqlite",
      ])
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("\(file):2"), "\(outcome.errors)")
      #expect(outcome.errors.contains("soon"))
    }
  }
}
