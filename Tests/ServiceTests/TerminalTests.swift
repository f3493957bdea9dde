import DepotProtocol
import TestSupport
import Testing

extension CommandTests {
  /// The program `depot` in a terminal.
  @Suite(.serialized) struct TerminalTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon()
      let rows = (1...3000).map { #"{"name":"item \#($0)","n":\#($0)}"# }
      let outcome = try daemon.depot(
        ["import", "Item", "-"],
        input: rows.joined(separator: "\n")
      )
      #expect(outcome.status == 0)
    }

    private func depot(
      _ arguments: String...,
      environment: [String: String] = [:],
      columns: Int = 80,
      steps: [TerminalProgram.Step] = []
    ) throws -> TerminalProgram.Result {
      try TerminalProgram.run(
        [Programs.depot, "--socket", daemon.socket, "--no-start"] + arguments,
        environment: environment,
        columns: columns,
        steps: steps
      )
    }

    /// A pager that tells when it begins and ends, and reads all.
    private static let marking = "echo BEGIN; cat; echo END"

    @Test func `rows go through the pager, and what is said of them comes after it`() throws {
      let environment = ["DEPOT_PAGER": Self.marking, "PAGER": "false"]
      let result = try depot("fetch", "Item", environment: environment)
      #expect(result.status == 0)
      #expect(result.output.hasPrefix("BEGIN\r\n"))
      #expect(result.output.contains("Item/3000"))
      #expect(result.output.hasSuffix("END\r\n3,000 rows\r\n"))
    }

    @Test(arguments: [
      ["fetch", "Item", "--no-pager"], ["count", "Item"], ["fetch", "Nothing"],
      ["update", "Item/1", "n=7"],
    ])
    func `without rows or if it isn't wanted there is no pager`(arguments: [String]) throws {
      let result = try TerminalProgram.run(
        [Programs.depot, "--socket", daemon.socket, "--no-start"] + arguments,
        environment: ["PAGER": Self.marking]
      )
      #expect(result.status != nil)
      #expect(!result.output.contains("BEGIN"))
    }

    @Test(arguments: [["DEPOT_PAGER": "", "PAGER": "echo BEGIN"], ["TERM": "dumb"]])
    func `the environment may forbid the pager`(environment: [String: String]) throws {
      let result = try depot("log", environment: environment)
      #expect(result.status == 0)
      #expect(!result.output.contains("BEGIN"))
      #expect(result.output.contains("Item/"))
    }

    @Test(
      .enabled(if: Programs.isInstalled("less")),
      arguments: [
        ["help", "verbs"], ["fetch", "--help"], ["fetch", "Item"], ["log", "--limit", "2000"],
      ]
    )
    func `leaving less early ends the program quietly`(arguments: [String]) throws {
      let result = try TerminalProgram.run(
        [Programs.depot, "--socket", daemon.socket, "--no-start"] + arguments,
        environment: ["LESS": "FRXPREADY>"],
        // Ctrl-C is less's own.
        steps: [.init("READY>", keys: "\u{3}"), .init("", keys: "q")]
      )
      #expect([0, 141].contains(result.status), "\(result.output)")
      #expect(!result.output.contains("error"))
      #expect(!result.output.contains("3,000 rows") || result.status == 0)
    }

    @Test(.enabled(if: Programs.isInstalled("less")))
    func `short output stays on the screen`() throws {
      let result = try depot("fetch", "Item", "--limit", "3")
      #expect(result.status == 0)
      #expect(result.output.contains("Item/3"))
      #expect(result.output.hasSuffix("3 rows\r\n"))
    }

    @Test func `a closed pager ends a program that still waits`() throws {
      // Nobody reads, so the pipe would be full for ever.
      let result = try depot("fetch", "Item", environment: ["PAGER": "head -1"])
      #expect(result.status == 141)
      #expect(result.output.filter(\.isNewline).count == 1)
    }

    @Test func `rows that don't fit have a line for each value`() throws {
      let environment = ["DEPOT_PAGER": ""]
      let narrow = try depot(
        "fetch",
        "Item",
        "--limit",
        "2",
        environment: environment,
        columns: 20
      )
      #expect(narrow.output.contains("Item/1\u{1B}[0m\r\n  name\r\n    item 1\r\n"))
      let wide = try depot("fetch", "Item", "--limit", "2", environment: environment)
      #expect(wide.output.contains("$id     name    n"))
      let asked = try depot(
        "-o",
        "table",
        "fetch",
        "Item",
        "--limit",
        "2",
        environment: environment,
        columns: 20
      )
      let words = asked.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains("left out; choose with --select, or -o expanded"))
    }

    @Test func `help is as wide as the terminal, or as COLUMNS says`() throws {
      func widest(_ columns: Int, _ environment: [String: String] = [:]) throws -> Int? {
        let environment = environment.merging(["DEPOT_PAGER": ""]) { $1 }
        let result = try depot("help", "verbs", environment: environment, columns: columns)
        return result.output.split(whereSeparator: \.isNewline).map(\.count).max()
      }
      #expect(60...80 ~= (try widest(80) ?? 0))
      #expect(30...40 ~= (try widest(40) ?? 0))
      #expect(30...40 ~= (try widest(80, ["COLUMNS": "40"]) ?? 0))
    }

    @Test func `an inference tells how far it is`() throws {
      let lines = (1...8000).map { "\($0),item \($0)" }
      let file = try daemon.folder.write(
        (["n,name"] + lines).joined(separator: "\n") + "\n",
        to: "rows.csv"
      )
      // Half of the file is there at once, the rest when there is something to tell.
      let depot = "\(Programs.depot) schema infer - --format csv --entity T"
      let halves = "head -4000 \(file); sleep 1; tail -n +4001 \(file)"
      let script = "{ \(halves); } | \(depot)"
      let result = try TerminalProgram.run(["sh", "-c", script])
      #expect(result.status == 0, "\(result.output)")
      #expect(result.output.contains(#/\r4,\d\d\d rows, [\d,]+ rows\/s/#), "\(result.output)")
    }

    @Test func `the history and a schema can be read in the expanded form`() throws {
      let history = try daemon.depot(["history", "Item/1", "-o", "expanded"])
      #expect(history.output.contains("\n  row     Item/1\n"))
      let schema = try daemon.depot(["schema", "show", "-o", "expanded"])
      #expect(schema.output.hasPrefix("Item\n  name        name\n  type        string\n"))
    }
  }
}
