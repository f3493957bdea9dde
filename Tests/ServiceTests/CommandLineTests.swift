import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// The program `depot` beside a real service.
  @Suite(.serialized) struct CommandLineTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon(schema: "")
      let file = try daemon.folder.write(TestDaemon.schema, to: "schema.json")
      #expect(try depot("schema", "apply", file).status == 0)
    }

    private func depot(_ arguments: String..., input: String? = nil) throws -> Outcome {
      try daemon.depot(arguments, input: input)
    }

    @Test func `every verb does its work`() throws {
      #expect(try depot("schema", "show").output.contains("Item"))
      #expect(try depot("insert", "Item", "name=a b", "n:=42").output.contains("1"))
      #expect(try depot("insert", "Item", "-", input: #"{"name":"c"}"# + "\n").status == 0)
      #expect(try depot("get", "Item/1").output.contains("a b"))
      #expect(try depot("count", "Item", "--where", "n > 1").output.contains("1"))
      #expect(try depot("update", "Item/1", "n:=43").status == 0)
      #expect(try depot("update", "Item", "--where", "n == 43", "text=x").status == 0)
      let rows = try depot("fetch", "Item", "--sort", "n:desc", "--select", "name,n")
      #expect(rows.lines.count == 2)
      #expect(rows.lines.first?.contains("43") == true)
      #expect(try depot("explain", "Item", "--where", "name == 'c'").output.contains("SELECT"))
      #expect(try depot("stats").status == 0)
      #expect(try depot("stats", "--prometheus").output.contains("# TYPE depot_"))
      #expect(try depot("ping").status == 0)
      #expect(try depot("call", "count", #"{"entity":"Item"}"#).output.contains(#""count":2"#))
      let history = try depot("call", "history", #"{"limit":1}"#)
      #expect(history.lines.count == 2 && history.lines[0].hasPrefix(#"{"token":"#))
      let groups =
        #"{"entity":"Item","by":["name"],"values":[{"name":"rows","aggregate":"count"}]}"#
      #expect(try depot("call", "aggregate", groups).lines.first == #"["a b",1]"#)
      #expect(try depot("delete", "Item/1").status == 0)
      #expect(try depot("delete", "Item", "--where", "name == 'c'").status == 0)
      #expect(try depot("count", "Item").output.contains("0"))
      #expect(try depot("completions", "bash").output.contains("complete"))
      #expect(try depot("service", "status").status == 0)
      #expect(try depot("service", "stop").status == 0)
      #expect(try daemon.wait() == 0)
      #expect(try depot("service", "status").status != 0)
    }

    @Test(arguments: ["ndjson", "csv", "json"])
    func `what is exported and imported again is the same`(format: String) throws {
      let lines = (0..<2500).map { index in
        let text = index.isMultiple(of: 3) ? "null" : #""zeile \#(index), \"ü\" 😀\n""#
        return #"{"name":"item \#(index)","n":\#(index * index),"text":\#(text)}"#
      }
      let imported = try depot("import", "Item", "-", input: lines.joined(separator: "\n"))
      #expect(imported.status == 0, "\(imported.errors)")
      let mark = format == "csv" ? ["--null", "NULL"] : []
      let first = try daemon.depot(["export", "Item", "-o", format] + mark)
      #expect(first.status == 0, "\(first.errors)")
      #expect(try depot("delete", "Item", "--where", "TRUEPREDICATE").status == 0)
      let file = try daemon.folder.write(first.output, to: "items.\(format)")
      let again = try daemon.depot(["import", "Item", file] + mark)
      #expect(again.status == 0, "\(again.errors)")
      let second = try daemon.depot(["export", "Item", "-o", format] + mark)
      #expect(second.output == first.output)
      #expect(second.output.utf8.count > 90_000)
    }

    @Test func `bad records go to the file of rejects and the good ones are stored`() throws {
      let lines = [
        #"{"name":"a"}"#, #"{"name":"b","n":"many"}"#, "nonsense", #"{"name":"a"}"#,
        #"{"name":"c"}"#,
      ]
      let rejects = daemon.folder.path + "/rejects"
      let input = lines.joined(separator: "\n")
      let outcome = try depot("import", "Item", "-", "--rejects", rejects, input: input)
      #expect(outcome.status != 0)
      #expect(try depot("count", "Item").output.contains("2"))
      let rejected = try String(contentsOfFile: rejects, encoding: .utf8)
      #expect(rejected.split(separator: "\n").count == 3, "\(rejected)")
    }

    /// The arguments, the exit status, and what the message must say.
    static let wrong: [([String], Int32, String)] = [
      (["fetch", "Item", "--where", "n >"], 64, "request.predicate"),
      (["fetch", "Item", "--where", "nme == 'a'"], 65, "name"),
      (["fetch", "Itme"], 65, "Item"),
      (["get", "Item/77"], 1, "77"),
      (["update", "Item/77", "n:=1"], 1, "77"),
      (["insert", "Item", "name=x", "n=many"], 64, "many"),
      (["insert", "Item", "n:=1"], 65, "name"),
      (["insert", "Item", "name=taken"], 1, "name"),
      (["import", "Item", "/nonexistent.ndjson"], 66, "/nonexistent.ndjson"),
      (["fetch"], 64, "ENTITY"),
      (["fetsh", "Item"], 64, "fetch"),
      (["fetch", "Item", "--limt", "1"], 64, "--limit"),
    ]

    @Test(arguments: wrong)
    func `what is wrong is said in a few lines with a hint and the status of its class`(
      arguments: [String],
      status: Int32,
      text: String
    ) throws {
      #expect(try depot("insert", "Item", "name=taken").status == 0)
      let outcome = try daemon.depot(arguments)
      #expect(outcome.status == status, "\(outcome.errors)")
      #expect(outcome.errors.contains(text), "\(outcome.errors)")
      #expect(outcome.output.isEmpty)
      let lines = outcome.errors.split(separator: "\n")
      #expect(1...4 ~= lines.count, "\(outcome.errors)")
      #expect(!outcome.errors.contains("\u{1B}"), "colours in a pipe")
      #expect(try depot("count", "Item").output.contains("1"))
    }

    @Test(arguments: [
      ("items.csv", "name,n\na,1\nb,many\n"), ("items.ndjson", "{\"name\":\"a\"}\n{\"name\":\n"),
      ("items.json", "[{\"name\":\"a\"},{\"name\":7}]"),
    ])
    func `a file with a bad record names its place`(name: String, text: String) throws {
      let file = try daemon.folder.write(text, to: name)
      let outcome = try depot("import", "Item", file)
      #expect(outcome.status != 0)
      let lines = ["items.csv": 3, "items.ndjson": 2, "items.json": 1]
      let line = try #require(lines[name])
      #expect(outcome.errors.contains("at: line \(line)"), "\(outcome.errors)")
    }

    @Test func `without a service the program says so with 69`() throws {
      #expect(try daemon.terminate() == 0)
      let outcome = try depot("ping")
      #expect(outcome.status == 69)
      #expect(outcome.errors.contains(daemon.socket))
    }

    @Test func `a reader that ends early ends the program quietly`() throws {
      let lines = (0..<5000).map {
        #"{"name":"item \#($0)","text":"some more text to fill the pipe"}"#
      }
      #expect(try depot("import", "Item", "-", input: lines.joined(separator: "\n")).status == 0)
      let outcome = try Program.run([
        "bash", "-c", "set -o pipefail; \"$@\" | head -1", "bash",
        Programs.depot, "--socket", daemon.socket, "fetch", "Item",
      ])
      #expect(outcome.status == 141)
      #expect(outcome.lines.count == 1)
      #expect(outcome.errors.isEmpty)
    }
  }
}
