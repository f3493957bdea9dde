import DepotProtocol
import TestSupport
import Testing

extension CommandTests {
  /// What the help texts claim.
  @Suite(.serialized) struct HelpExampleTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon(schema: "")
    }

    private func help(_ topic: String) throws -> [Substring] {
      // Where the lines are short an example has a line of its own.
      let outcome = try Program.run(
        [Programs.depot, "help", topic],
        environment: ["COLUMNS": "40"]
      )
      #expect(outcome.status == 0)
      return outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Returns the lines below a heading, without the margin.
    private func section(_ heading: String, of lines: [Substring]) -> [Substring] {
      lines.drop { $0 != heading + ":" }.dropFirst().prefix { !$0.isEmpty }.map { $0.dropFirst(2) }
    }

    private func applyExample() throws {
      let example = try section("Example", of: help("schema")).joined(separator: "\n")
      let file = try daemon.folder.write(example, to: "schema.json")
      let outcome = try daemon.depot(["schema", "apply", file, "-o", "json"])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("added entity Book"))
    }

    @Test func `the schema of the help can be applied`() throws {
      try applyExample()
      #expect(try daemon.depot(["insert", "Author", "name=Jane Austen"]).status == 0)
      #expect(try daemon.depot(["insert", "Book", "title=Emma", "author=1"]).status == 0)
    }

    @Test func `a service understands every predicate of the help`() throws {
      try applyExample()
      let lines = try help("predicates")
      let headings = [
        "Comparisons", "Logic", "Text", "Paths", "Functions", "Dates and other types",
      ]
      var count = 0
      for heading in headings {
        let examples = section(heading, of: lines).filter { $0.first != " " }
        #expect(!examples.isEmpty, "\(heading)")
        for example in examples {
          let outcome = try daemon.depot(["count", "Book", "--where", String(example)])
          #expect(outcome.status == 0, "\(example): \(outcome.errors)")
          count += 1
        }
      }
      #expect(count >= 24)
    }

    @Test func `a shell understands every command of the help`() throws {
      try applyExample()
      let lines = try help("predicates")
      for heading in ["Values from outside", "In a shell"] {
        var commands = section(heading, of: lines).joined(separator: "\n")
        while !commands.hasPrefix("depot "), let end = commands.firstIndex(of: "\n") {
          commands = String(commands[commands.index(after: end)...])
        }
        let outcome = try Program.run(
          ["bash", "-e", "-c", "depot() { \"$DEPOT\" --no-start \"$@\"; }\n" + commands],
          environment: ["DEPOT": Programs.depot, "DEPOT_SOCKET": daemon.socket]
        )
        #expect(commands.hasPrefix("depot "))
        #expect(outcome.status == 0, "\(commands) \(outcome.errors)")
      }
    }

    @Test func `an empty store says that it has no schema`() throws {
      for arguments in [["schema", "show", "-o", "table"], ["schema", "diagram"]] {
        let outcome = try daemon.depot(arguments)
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("The store has no entities yet."))
        #expect(try daemon.depot(arguments + ["-q"]).errors.isEmpty)
      }
      let json = try daemon.depot(["schema", "show", "-o", "json"])
      #expect(try JSONValue(parsing: json.bytes)["entities"] == .array([]))
      #expect(json.errors.isEmpty)
    }
  }
}
