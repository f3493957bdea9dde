import DepotClient
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// Files of a million lines, which `make test-long` imports.
  @Suite(
    .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["DEPOT_LONG"] != nil, "make test-long")
  )
  struct LongFileTests {
    private let daemon: TestDaemon
    private static let count = 1_000_000

    init() throws { daemon = try TestDaemon(schema: "") }

    /// Writes the log of a web server as lines of JSON, the same each time.
    private func writeLog() throws -> (path: String, bytes: Int) {
      var random = SeededGenerator(seed: 1)
      let paths = ["/", "/history/apollo/", "/images/logo.gif", "/a \"b\"", "/日本/ö?q=1&x=%20"]
      let path = try daemon.folder.write("", to: "access.ndjson")
      let file = try FileHandle(forWritingTo: URL(filePath: path))
      defer { try? file.close() }
      var bytes = 0
      var text = ""
      for number in 0..<Self.count {
        let status = [200, 200, 200, 304, 404, 500].randomElement(using: &random) ?? 0
        let name = paths.randomElement(using: &random) ?? ""
        let size = Int.random(in: 0..<100_000, using: &random)
        let second = number / 20
        let date = Date(timeIntervalSinceReferenceDate: Double(700_000_000 + second))
        let line = JSONValue.object([
          "at": .string(date.formatted(.iso8601)), "status": .int64(Int64(status)),
          "http": .object([
            "path": .string(name),
            "bytes": status == 304 ? .null : .int64(Int64(size)),
          ]),
          "number": .int64(Int64(number)),
        ])
        text += line.text + "\n"
        guard text.utf8.count > 1 << 20 || number == Self.count - 1 else { continue }
        try file.write(contentsOf: Data(text.utf8))
        bytes += text.utf8.count
        text = ""
      }
      return (path, bytes)
    }

    @Test func `a log of a million lines is inferred, imported, and exported as it was`() throws {
      let (path, bytes) = try writeLog()
      let inferred = try daemon.depot(["schema", "infer", path, "--entity", "Line"])
      #expect(inferred.status == 0, "\(inferred.errors)")
      let applied = try daemon.depot(["schema", "apply", "-"], input: inferred.output)
      #expect(applied.status == 0, "\(applied.errors)")
      let imported = try daemon.depot(["import", "Line", path])
      #expect(imported.status == 0, "\(imported.errors)")
      let connection = try daemon.connect()
      #expect(try connection.count(CountRequest(entity: "Line")) == Self.count)
      let last = try daemon.depot(["fetch", "Line", "--where", "number == 999999", "-o", "ndjson"])
      let row = try JSONValue(parsing: last.bytes)
      let tail = try Program.run(["tail", "-1", path])
      let line = try JSONValue(parsing: tail.bytes)
      #expect(row["status"] == line["status"])
      #expect(row["http.path"] ?? row["http", "path"] == line["http", "path"])
      let copy = daemon.folder.path + "/copy.ndjson"
      let export = "\(Programs.depot) --socket \(daemon.socket) export Line > \(copy)"
      #expect(try Program.run(["sh", "-c", export]).status == 0)
      let lines = try Program.run(["wc", "-l", copy]).output
      #expect(lines.hasPrefix("\(Self.count) "))
      #expect(bytes > 100_000_000)
      // One command is one unit of the history, however large.
      #expect(try daemon.depot(["undo"]).status == 0)
      #expect(try connection.count(CountRequest(entity: "Line")) == 0)
    }
  }
}
