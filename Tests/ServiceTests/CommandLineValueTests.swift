import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// Values of rows that go through files and commands, and must be the same behind them.
  @Suite(.serialized) struct CommandLineValueTests {
    private let daemon: TestDaemon

    private static let schema = #"""
      {"entities":[
      {"name":"Vehicle","abstract":true,"attributes":[
       {"name":"plate","type":"string","unique":true}]},
      {"name":"Car","parent":"Vehicle","attributes":[
       {"name":"seats","type":"int64"},{"name":"x","type":"int64"}]},
      {"name":"Bus","parent":"Vehicle","attributes":[
       {"name":"seats","type":"int64"},{"name":"x","type":"string"}]},
      {"name":"Person","attributes":[
       {"name":"name","type":"string","unique":true},
       {"name":"home","type":"composite","optional":true,"properties":[
        {"name":"city","type":"string"},{"name":"zip","type":"string","optional":true}]}]},
      {"name":"Blob","attributes":[{"name":"key","type":"data","unique":true}]},
      {"name":"Side","attributes":[{"name":"left","type":"bool","unique":true}]},
      {"name":"Note","attributes":[
       {"name":"text","type":"string"},{"name":"any","type":"json","optional":true}],
       "relationships":[
       {"name":"blob","destination":"Blob","optional":true},
       {"name":"side","destination":"Side","optional":true}]}]}
      """#

    init() throws { daemon = try TestDaemon(schema: Self.schema.filter { $0 != "\n" }) }

    @discardableResult
    private func depot(_ arguments: String..., input: String? = nil) throws -> Outcome {
      try daemon.depot(arguments, input: input)
    }

    @Test func `siblings in one plain table keep their values apart`() throws {
      #expect(try depot("insert", "Car", "plate=a", "seats=4", "x=1").status == 0)
      #expect(try depot("insert", "Bus", "plate=b", "seats=50", "x=y").status == 0)
      let file = daemon.folder.path + "/plain.sqlite"
      let outcome = try depot("export", "--sqlite", file)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("Bus.seats is in the column seats_"), "\(outcome.errors)")
      let query = "SELECT plate, seats, x, seats_, x_ FROM Vehicle ORDER BY id"
      let rows = try Program.run([
        "python3", "-c",
        "import sqlite3, sys; print(list(sqlite3.connect(sys.argv[1]).execute(sys.argv[2])))",
        file, query,
      ])
      #expect(
        rows.output == "[('a', 4, 1, None, None), ('b', None, None, 50, 'y')]\n",
        "\(rows.errors)"
      )
    }

    @Test func `an object replaces all of a composite, also what it doesn't name`() throws {
      func homes() throws -> [Substring] {
        try depot("fetch", "Person", "--select", "home.city,home.zip", "-o", "tsv").lines
      }
      let whole = #"home:={"city":"London","zip":"E1"}"#
      let line = #"{"name":"a","home":{"city":"Bonn"}}"#
      let file = try daemon.folder.write(line, to: "people.ndjson")
      for change in [
        ["update", "Person/1", #"home:={"city":"Bonn"}"#],
        ["insert", "Person", "-", "--on-conflict", "replace"],
        ["import", "Person", file, "--on-conflict", "replace"],
        ["insert", "Person", "name=a", #"home:={"city":"Bonn"}"#, "--on-conflict", "replace"],
      ] {
        #expect(
          try depot("insert", "Person", "name=a", whole, "--on-conflict", "replace").status == 0
        )
        #expect(try homes().last == "Person/1\tLondon\tE1")
        let outcome = try daemon.depot(change, input: line)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try homes().last == "Person/1\tBonn\t", "\(change)")
      }
      // Parts by themselves leave the others.
      #expect(try depot("update", "Person/1", "home.zip=1").status == 0)
      #expect(try depot("update", "Person/1", "home.city=Ulm").status == 0)
      #expect(try homes().last == "Person/1\tUlm\t1")
    }

    @Test(arguments: ["csv", "tsv", "ndjson"])
    func `links and values of all kinds come back from a file`(format: String) throws {
      #expect(try depot("insert", "Blob", "key=").status == 0)
      #expect(try depot("insert", "Side", "left=true").status == 0)
      let huge = ["insert", "Note", "text=n", "blob=1", "side=1", "any:=1e400"]
      let inserted = try daemon.depot(huge)
      #expect(inserted.status == 0, "\(inserted.errors)")
      let text = try depot("export", "Note", "-o", format).output
      let file = try daemon.folder.write(text, to: "notes.\(format)")
      #expect(try depot("delete", "Note", "--all").status == 0)
      let imported = try depot("import", "Note", file)
      #expect(imported.status == 0, "\(imported.errors)")
      let rows = try depot("fetch", "Note", "--select", "any,blob,side")
      #expect(rows.output.contains(#""any":1e400,"blob":1,"side":1"#), "\(rows.output)")
    }

    @Test func `a record whose link leads nowhere is set aside, or told to be stored`() throws {
      #expect(try depot("insert", "Side", "left=true").status == 0)
      let lines = [#"{"text":"a","side":false}"#, #"{"text":"b","side":true}"#]
      let file = try daemon.folder.write(lines.joined(separator: "\n"), to: "notes.ndjson")
      let rejects = daemon.folder.path + "/rejects"
      let outcome = try depot("import", "Note", file, "--rejects", rejects)
      #expect(outcome.status == 65)
      #expect(outcome.errors.contains("1 inserted, 1 rejected"), "\(outcome.errors)")
      #expect(try depot("count", "Note").output == "1\n")
      // Of a pipe nobody knows what comes.
      let piped = try depot(
        "import",
        "Note",
        "-",
        "--rejects",
        rejects,
        input: lines.joined(separator: "\n")
      )
      #expect(piped.status == 65)
      #expect(try depot("count", "Note").output == "3\n")
      let text = try String(contentsOfFile: rejects, encoding: .utf8)
      #expect(text.contains("stored without this link, as Note/2."), "\(text)")
    }

    @Test func `an undo tells what it takes back, and doesn't skip a migration`() throws {
      #expect(
        try depot("insert", "Side", "left=true", "--author", "ann").status == 0
      )
      let undone = try depot("undo")
      #expect(undone.status == 0, "\(undone.errors)")
      #expect(undone.errors.contains("ann"), "\(undone.errors)")
      #expect(undone.errors.contains("1 row of Side inserted"), "\(undone.errors)")
      #expect(try depot("redo").status == 0)
      let blob = #"{"name":"Blob","#
      let other = #"{"name":"New","attributes":[{"name":"a","type":"int64"}]},"#
      let more = Self.schema.replacing(blob, with: other + blob)
      #expect(try depot("schema", "apply", "-", input: more).status == 0)
      let refused = try depot("undo")
      #expect(refused.status == 1)
      #expect(refused.errors.contains("The last change was of the schema"), "\(refused.errors)")
      #expect(try depot("count", "Side").output == "1\n")
    }

    @Test func `a value that is taken is called by the row that has it`() throws {
      #expect(try depot("insert", "Car", "plate=a", "seats=4", "x=1").status == 0)
      let outcome = try depot("insert", "Bus", "plate=a", "seats=4", "x=1")
      #expect(outcome.errors.contains("Car/1 has the same value"), "\(outcome.errors)")
    }

    @Test func `an import ends with the same status, however many records are bad`() throws {
      #expect(try depot("insert", "Person", "name=a").status == 0)
      for count in [1, 2] {
        let lines = Array(repeating: #"{"name":"a"}"#, count: count).joined(separator: "\n")
        let outcome = try depot("import", "Person", "-", input: lines)
        #expect(outcome.status == 65, "\(count): \(outcome.errors)")
      }
    }

    @Test func `a row of an unexpected version is told with the way on`() throws {
      #expect(try depot("insert", "Person", "name=a").status == 0)
      #expect(try depot("update", "Person/1", "name=b").status == 0)
      let changed = try depot("update", "Person/1", "name=c", "--if-version", "1")
      #expect(changed.errors.contains("depot get Person/1 --versions"), "\(changed.errors)")
      #expect(!changed.errors.contains("policy"), "\(changed.errors)")
      let missing = try depot("update", "Person/7", "name=c", "--if-version", "1")
      #expect(missing.errors.contains("There is no Person/7"), "\(missing.errors)")
      #expect(!missing.errors.contains("by others"), "\(missing.errors)")
    }

    @Test func `a number that is bound as a text is told with the form for numbers`() throws {
      let outcome = try depot("count", "Car", "--where", "seats == $n", "--bind", "n=4")
      #expect(outcome.errors.contains("--bind NAME:=NUMBER"), "\(outcome.errors)")
    }

    @Test(arguments: ["", "SQLite"])
    func `a backup that is cut off is told as such, and leaves nothing`(text: String) throws {
      let data = daemon.folder.path + "/data"
      let outcome = try depot("restore", "-", "--data", data, input: text)
      #expect(outcome.status != 0)
      #expect(outcome.errors.contains("The backup"), "\(outcome.errors)")
      #expect(!outcome.errors.contains("depot-restore-"), "\(outcome.errors)")
      #expect(!FileManager.default.fileExists(atPath: data))
    }
  }
}
