import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// The output of `depot` to those who take their time.
  @Suite(.serialized) struct SlowReaderTests {
    private let daemon: TestDaemon
    private static let count = 40_000

    init() throws {
      daemon = try TestDaemon(["--stall-ms", "8000", "--log-mib", "8"])
      let text = String(repeating: "x", count: 300)
      let items = (1...Self.count).map { #"{"name":"\#($0)","text":"\#(text)"}"# }
      let path = try daemon.folder.write(items.joined(separator: "\n"), to: "items.ndjson")
      #expect(try daemon.depot(["import", "Item", path]).status == 0)
    }

    /// Runs `depot` with each of some arguments at once, and reads its output after a pause that is longer than
    /// the service waits; returns how many lines there were, with the errors and the status.
    private func read(
      _ all: [String],
      folder: String? = nil,
      beside repeated: String = "sleep 1"
    ) throws -> [(Int, String)] {
      let commands = all.enumerated().map { number, arguments in
        let depot = "\(Programs.depot) --socket \(daemon.socket) \(arguments)"
        let path = "\(daemon.folder.path)/\(number)"
        return
          "{ \(depot); echo status $? >&2; } 2> \(path).err | { sleep 10; wc -l; } > \(path).out & all=\"$all $!\""
      }
      let environment = folder.map { ["TMPDIR": $0] } ?? [:]
      let loop = "while :; do \(repeated) > /dev/null 2>&1; done & loop=$!"
      let script = ([loop] + commands + ["wait $all; kill $loop"]).joined(separator: "\n")
      #expect(try Program.run(["sh", "-c", script], environment: environment).status == 0)
      return try all.indices.map { number in
        let path = "\(daemon.folder.path)/\(number)"
        let lines = try String(contentsOfFile: path + ".out", encoding: .utf8)
        let errors = try String(contentsOfFile: path + ".err", encoding: .utf8)
        return (try #require(Int(lines.dropLast())), errors)
      }
    }

    @Test func `a reader who pauses gets everything`() throws {
      let commands = ["export Item", "fetch Item -o csv", "log --since 2000-01-01 -o ndjson"]
      let outcomes = try read(commands)
      for (command, (_, errors)) in zip(commands, outcomes) {
        #expect(errors.contains("status 0\n"), "\(command): \(errors)")
      }
      #expect(outcomes[0].0 == Self.count)
      #expect(outcomes[1].0 == Self.count + 1)
      #expect(outcomes[2].0 >= 10)
    }

    @Test func `what can't wait for its reader is told with how many rows were written`() throws {
      // The log that the export keeps becomes too long meanwhile.
      let text = String(repeating: "z", count: 100_000)
      let update =
        "\(Programs.depot) --socket \(daemon.socket) update Item/1 text=$(date +%N)\(text)"
      let missing = daemon.folder.path + "/missing"
      let (rows, errors) = try read(["export Item"], folder: missing, beside: update)[0]
      #expect(rows < Self.count)
      #expect(!errors.contains("status 0\n"), "\(errors)")
      let told = errors.filter { $0 != "," }
      #expect(told.contains("\(rows) rows before it were written."), "\(errors)")
      #expect(told.contains("--offset \(rows) "), "\(errors)")
    }
  }
}
