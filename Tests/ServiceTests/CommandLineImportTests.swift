import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// `depot import`, `depot export`, and `depot schema infer`, beside real services.
  @Suite(.serialized) struct CommandLineImportTests {
    private let daemon: TestDaemon

    static let schema = #"""
      {"entities":[
      {"name":"Author","attributes":[{"name":"name","type":"string","unique":true}],
       "relationships":[
       {"name":"books","destination":"Book","toMany":true,"inverse":"author"}]},
      {"name":"Book","attributes":[{"name":"title","type":"string"},
       {"name":"year","type":"int64","optional":true}],
       "relationships":[
       {"name":"author","destination":"Author","inverse":"books","optional":true},
       {"name":"shelf","destination":"Shelf","optional":true},
       {"name":"readers","destination":"Author","toMany":true}]},
      {"name":"Shelf","attributes":[{"name":"label","type":"string"}]}]}
      """#

    init() throws {
      daemon = try TestDaemon(schema: Self.schema.filter { $0 != "\n" })
    }

    private func depot(_ arguments: String..., input: String? = nil) throws -> Outcome {
      try daemon.depot(arguments, input: input)
    }

    /// Returns the path of a file with these lines.
    private func file(_ lines: String..., named name: String = "records.ndjson") throws -> String {
      try daemon.folder.write(lines.joined(separator: "\n") + "\n", to: name)
    }

    @Test func `what is imported isn't taken for the file of rejects`() throws {
      let records = try file(#"{"name":"A"}"#, #"{"name":"A"}"#)
      let link = daemon.folder.path + "/link.ndjson"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: records)
      for rejects in [records, link] {
        let outcome = try depot("import", "Author", records, "--rejects", rejects)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("is the file to import"), "\(outcome.errors)")
      }
      let bytes = try #require(FileManager.default.contents(atPath: records))
      #expect(bytes.count == 26)
      let other = daemon.folder.path + "/rejects.ndjson"
      #expect(try depot("import", "Author", records, "--rejects", other).status != 64)
    }

    @Test func `a value that is too large is refused with the way to store it`() throws {
      for (bytes, name) in [(9, "a.ndjson"), (17, "b.ndjson"), (17, "c.csv")] {
        let text = String(repeating: "a", count: bytes << 20)
        let lines = name.hasSuffix("csv") ? ["label", text] : [#"{"label":"\#(text)"}"#]
        let records = try file(lines.joined(separator: "\n"), named: name)
        let outcome = try depot("import", "Shelf", records)
        #expect(outcome.status == 75, "\(name) \(outcome.errors.prefix(500))")
        #expect(outcome.errors.contains("depot blob put ENTITY/ID ATTRIBUTE FILE"), "\(name)")
        #expect(outcome.errors.contains("Nothing was stored."), "\(outcome.errors.prefix(500))")
      }
      let large = try file(String(repeating: "a", count: 17 << 20), named: "large.txt")
      let row = try depot("insert", "Shelf", "label=@\(large)")
      #expect(!row.errors.contains("fewer"), "\(row.errors.prefix(500))")
    }

    @Test func `broken JSON is bad input, not a misunderstanding with the service`() throws {
      let broken = try file(#"{"name":"#)
      for outcome in [
        try depot("import", "Author", broken),
        try depot("insert", "Author", "-", input: "{\"name\":"),
        try depot("insert", "Author", "name:=[1"), try depot("schema", "apply", broken),
      ] {
        #expect(outcome.status == 65, "\(outcome.errors)")
      }
    }

    static let malformed: [(text: String, name: String, place: String, stored: Int, all: Int)] = [
      (#"[{"label":"A"},{"label":"B"}"#, "a.json", "line 1", 2, 2),
      ("[{\"label\":\"A\"}\n{\"label\":\"B\"}]", "a.json", "line 2", 1, 2),
      ("[{\"label\":\"A\"}]\n]", "a.json", "line 2", 1, 1),
      ("[{\"label\":\"A\"},\n{\"label\":", "a.json", "line 2", 1, 1),
      ("", "a.json", "line 1", 0, 0),
      ("{\"label\":\"A\"}\n{\"lab", "a.ndjson", "line 2", 1, 1),
      ("{\"label\":\"A\"}\n\0\0", "a.ndjson", "line 2", 1, 1),
      ("label,$id\nA,1\nB,\"2\nC,3\n", "a.csv", "line 3", 1, 1),
      ("label,$id\nA,1\n\"B\"x,2\nC,3\n", "a.csv", "line 3", 1, 2),
      ("label,$id\nA,1\nB", "a.csv", "line 3", 1, 1), ("", "a.csv", "no header", 0, 0),
    ]

    @Test(arguments: malformed)
    func `a file is valid to its last byte, or where it isn't is told with what is stored`(
      file: (text: String, name: String, place: String, stored: Int, all: Int)
    ) throws {
      let path = try daemon.folder.write(file.text, to: file.name)
      let outcome = try depot("import", "Shelf", path)
      // An empty file is no matter of one line.
      let isEmpty = file.name == "a.csv" && file.text.isEmpty
      #expect(outcome.status == (isEmpty ? 64 : 65), "\(outcome.errors)")
      #expect(outcome.errors.contains(file.place), "\(outcome.errors)")
      let stored = file.stored == 1 ? "1 row before it was" : "\(file.stored) rows before it were"
      if file.stored > 0 {
        #expect(outcome.errors.contains("\(stored) stored."), "\(outcome.errors)")
      }
      #expect(try depot("count", "Shelf").output == "\(file.stored)\n")
      guard !file.text.isEmpty else { return }
      let rejects = daemon.folder.path + "/rejects.ndjson"
      let second = try depot("import", "Shelf", path, "--rejects", rejects)
      #expect(second.status == 65, "\(second.errors)")
      #expect(second.errors.contains("\(file.all) inserted, 1 rejected"), "\(second.errors)")
      #expect(try depot("count", "Shelf").output == "\(file.stored + file.all)\n")
      let text = try String(contentsOfFile: rejects, encoding: .utf8)
      #expect(text.split(separator: "\n").count == 1, "\(text)")
    }

    @Test func `an inferred schema that would remove what is there is one to add`() throws {
      let proposal = try depot("schema", "infer", try file("a,b", "1,2", named: "rows.csv"))
      let outcome = try depot("schema", "apply", "-", input: proposal.output)
      #expect(outcome.status == 65)
      #expect(outcome.errors.contains("depot schema infer --add"), "\(outcome.errors)")
    }

    @Test func `an identifier of another entity isn't one of where a relationship leads`() throws {
      #expect(try depot("insert", "Author", "name=A").status == 0)
      #expect(try depot("insert", "Shelf", "label=mine").status == 0)
      for (text, words) in [
        ("Shelf/1", "It leads to Author, not to Shelf"), ("Autor/1", "Author"),
      ] {
        let outcome = try depot("insert", "Book", "title=t", "author=\(text)")
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
      }
      #expect(try depot("insert", "Book", "title=t", "author=Author/1").status == 0)
    }

    @Test func `rows of one store lead to the same rows in another, or are refused`() throws {
      let other = try TestDaemon(schema: Self.schema.filter { $0 != "\n" })
      for name in ["A", "B"] { #expect(try depot("insert", "Author", "name=\(name)").status == 0) }
      #expect(try depot("insert", "Shelf", "label=mine").status == 0)
      for name in ["B", "A"] {
        #expect(try other.depot(["insert", "Author", "name=\(name)"]).status == 0)
      }
      #expect(try other.depot(["insert", "Shelf", "label=theirs"]).status == 0)
      let book = try depot("insert", "Book", "title=t", "author=1", "readers:=[1,2]")
      #expect(book.status == 0, "\(book.errors)")
      for format in ["ndjson", "json", "csv", "tsv"] {
        let exported = try depot("export", "Book", "-o", format)
        #expect(exported.status == 0, "\(exported.errors)")
        let imported = try other.depot(["import", "Book", "-"], input: exported.output)
        #expect(imported.status == 0, "\(format): \(imported.errors)")
        let there = try other.depot(["export", "Book", "-o", format])
        #expect(there.output == exported.output)
        #expect(try other.depot(["count", "Book", "-w", "author.name == 'A'"]).output == "1\n")
        #expect(try other.depot(["delete", "Book", "--all"]).status == 0)
      }
      #expect(try depot("update", "Book", "--all", "shelf=1").status == 0)
      for format in ["ndjson", "csv"] {
        let exported = try depot("export", "Book", "-o", format)
        let refused = try other.depot(["import", "Book", "-"], input: exported.output)
        #expect(refused.status != 0)
        #expect(refused.errors.contains("is a row of another store"), "\(refused.errors)")
        #expect(refused.errors.contains("depot import --all"), "\(refused.errors)")
        #expect(try other.depot(["count", "Book"]).output == "0\n")
        #expect(try depot("import", "Book", "-", input: exported.output).status == 0)
      }
      #expect(try depot("count", "Book", "-w", "shelf.label == 'mine'").output == "4\n")
    }

    @Test func `the links of a file are checked before anything is stored`() throws {
      #expect(try depot("insert", "Author", "name=A").status == 0)
      let lines = (0..<3000).map {
        #"{"title":"t\#($0)","author":"\#($0 == 2999 ? "none" : "A")"}"#
      }
      let path = try daemon.folder.write(lines.joined(separator: "\n"), to: "books.ndjson")
      let journal = daemon.folder.path + "/journal"
      let stopped = try depot("import", "Book", path, "--resume", journal)
      // The file may be mended and imported with the same command.
      #expect(!FileManager.default.fileExists(atPath: journal))
      #expect(stopped.status == 1)
      #expect(stopped.errors.contains("Nothing was stored."), "\(stopped.errors)")
      #expect(stopped.errors.contains("at: line 3000, author"), "\(stopped.errors)")
      #expect(stopped.errors.contains("--ignore-missing"), "\(stopped.errors)")
      #expect(try depot("count", "Book").output == "0\n")
      let identifier = try file(#"{"title":"x","shelf":77}"#)
      #expect(try depot("import", "Book", identifier).errors.contains("There is no Shelf/77."))
      let ignored = try depot("import", "Book", path, "--ignore-missing")
      #expect(ignored.status == 0, "\(ignored.errors)")
      #expect(ignored.errors.contains("3,000 inserted, 1 without all their links"))
      #expect(try depot("count", "Book", "-w", "author == NULL").output == "1\n")
    }

    @Test func `a file that is redirected to standard input may refer forwards`() throws {
      let other = try TestDaemon(
        schema: #"{"entities":[{"name":"Node","attributes":[{"name":"label","type":"string","#
          + #""unique":true}],"relationships":[{"name":"next","destination":"Node","optional":true}]}]}"#
      )
      let path = try file(#"{"label":"a","next":"b"}"#, #"{"label":"b","next":"a"}"#)
      let command = "exec \"$0\" --socket \"$1\" --no-start import Node - < \"$2\""
      let outcome = try Program.run(["sh", "-c", command, Programs.depot, other.socket, path])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try other.depot(["count", "Node", "-w", "next.next == SELF"]).output == "2\n")
    }

    @Test func `keys that are numbers aren't taken for identifiers`() throws {
      let schema =
        #"{"entities":[{"name":"Sector","attributes":[{"name":"number","type":"int64","unique":true}],"#
        + #""relationships":[{"name":"above","destination":"Sector","optional":true}]}]}"#
      let first = try TestDaemon(schema: schema)
      // The row with the identifier 1 has the number 2, and the other way round.
      let lines = [#"{"number":2}"#, #"{"number":1,"above":2}"#]
      let input = lines.joined(separator: "\n")
      #expect(try first.depot(["import", "Sector", "-"], input: input).status == 0)
      #expect(try first.depot(["count", "Sector", "-w", "above.number == 2"]).output == "1\n")
      let folder = first.folder.path + "/all"
      #expect(try first.depot(["export", "--all", folder]).status == 0)
      let second = try TestDaemon(schema: "")
      #expect(try second.depot(["import", "--all", folder]).status == 0)
      #expect(try second.depot(["count", "Sector", "-w", "above.number == 2"]).output == "1\n")
      let again = try second.depot(["import", "--all", folder, "--on-conflict", "skip"])
      #expect(again.errors.hasPrefix("2 rows: 0 inserted, 2 skipped in "), "\(again.errors)")
    }

    @Test func `identifiers that are missing are left out if that is wanted`() throws {
      let path = try file(#"{"title":"x","shelf":77}"#, #"{"title":"y","readers":["Author/78"]}"#)
      let ignored = try depot("import", "Book", path, "--ignore-missing")
      #expect(ignored.status == 0, "\(ignored.errors)")
      #expect(ignored.errors.contains("2 inserted, 2 without all their links"), "\(ignored.errors)")
    }

    @Test func `an export tells of a mistake in the words of its options`() throws {
      for (option, value) in [("--select", "nme"), ("--sort", "nme"), ("--where", "nme == 1")] {
        let outcome = try depot("export", "Author", option, value)
        #expect(outcome.status != 0)
        #expect(!outcome.errors.contains("/args"), "\(outcome.errors)")
        #expect(outcome.errors.contains("at: \(option)"), "\(outcome.errors)")
      }
    }

    @Test func `what is told of an import is what happened`() throws {
      let nested = try file(
        #"{"title":"a","author":{"name":"N"}}"#,
        #"{"title":"b","author":{"name":"N"}}"#,
        #"{"title":"c","author":"N"}"#
      )
      let books = try depot("import", "Book", nested)
      #expect(
        books.errors.hasPrefix("3 rows of Book: 3 inserted, and with them 1 row of Author in "),
        "\(books.errors)"
      )
      let authors = try file(#"{"name":"N"}"#, #"{"name":"M"}"#, #"{"name":"M"}"#)
      let skipped = try depot("import", "Author", authors, "--on-conflict", "skip")
      #expect(skipped.errors.hasPrefix("3 rows: 1 inserted, 2 skipped in "), "\(skipped.errors)")
      let again = try depot("import", "Author", authors, "--on-conflict", "skip")
      #expect(again.errors.hasPrefix("3 rows: 0 inserted, 3 skipped in "), "\(again.errors)")
    }

    @Test func `a clash within a file names the lines, and no row that isn't there`() throws {
      let lines = [#"{"name":"x"}"#, #"{"name":"y"}"#, #"{"name":"y"}"#]
      let graph = try depot("import", "Author", try file(lines[0], lines[1], lines[2]))
      #expect(
        graph.errors.contains("It has the same value for \"name\" as line 2."),
        "\(graph.errors)"
      )
      #expect(graph.errors.contains("at: line 3"))
      #expect(graph.errors.contains("--on-conflict skip"))
      #expect(!graph.errors.contains("onConflict") && !graph.errors.contains("/args"))
      let plain = try TestDaemon()
      let csv = try daemon.folder.write("name\na\na\n", to: "items.csv")
      let item = try plain.depot(["import", "Item", csv])
      #expect(
        item.errors.contains("It has the same value for \"name\" as line 2."),
        "\(item.errors)"
      )
      #expect(try plain.depot(["insert", "Item", "name=a"]).status == 0)
      let single = try plain.depot(["insert", "Item", "name=a"])
      #expect(single.errors.contains("Item/"), "\(single.errors)")
      #expect(!single.errors.contains("onConflict") && !single.errors.contains("/args"))
      let type = try plain.depot(["insert", "Item", "name=b", #"n:="x""#])
      #expect(type.errors.contains("at: Item.n"), "\(type.errors)")
    }

    @Test func `a document of records with other names and separators is imported`() throws {
      let document = try file(
        #"{"meta":1,"found":{"authors":[{"label":"A","extra":[1]},"#,
        #"  {"label":"B"}]}}"#,
        named: "authors.json"
      )
      let wrong = try depot("import", "Author", document)
      #expect(wrong.errors.contains("--path /found/authors"), "\(wrong.errors)")
      let command = [
        "import", "Author", document, "--path", "/found/authors", "--map", "label=name",
        "--map", "extra=",
      ]
      let imported = try daemon.depot(command)
      #expect(imported.status == 0, "\(imported.errors)")
      #expect(try depot("export", "Author", "-o", "csv").output == "name\r\nA\r\nB\r\n")
      let table = try file("Titel;Autor;Jahr", "\"a;b\";A;", named: "books.csv")
      let one = try depot("import", "Book", table)
      #expect(one.errors.contains("--separator ';'"), "\(one.errors)")
      let books = try depot(
        "import",
        "Book",
        table,
        "--separator",
        ";",
        "--map",
        "Titel=title",
        "--map",
        "Autor=author",
        "--map",
        "Jahr=year"
      )
      #expect(books.status == 0, "\(books.errors)")
      let row = try depot("export", "Book").output
      #expect(row == #"{"title":"a;b","year":null,"author":"A","shelf":null,"readers":[]}"# + "\n")
    }

    @Test func `dates are taken as other programs write them`() throws {
      let table = try file(
        "code,on,until",
        "a,2024-05-01,2024-05-01 13:45:00",
        "b,2024-05-02T13:45,2024-05-02T13:45:00+0200",
        named: "visits.csv"
      )
      let inferred = try depot("schema", "infer", table, "--add")
      #expect(inferred.output.contains("\"date\""), "\(inferred.output)")
      #expect(try depot("schema", "apply", "-", input: inferred.output).status == 0)
      let records = try file(
        #"{"code":"c","on":"2024-05-03","until":"2024-05-03 01:00"}"#,
        named: "more.ndjson"
      )
      for arguments in [
        ["import", "Visits", table], ["import", "Visits", records],
        ["import", "Visits", records, "--map", "code=code", "--on-conflict", "replace"],
        ["insert", "Visits", "code=d", "on=2024-05-04 10:00", "until=2024-05-05"],
      ] {
        let outcome = try daemon.depot(arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
      }
      #expect(
        try depot("fetch", "Visits", "--sort", "code", "--select", "on,until").lines.map {
          String($0.drop { $0 != "o" })
        } == [
          #"on":"2024-05-01T00:00:00Z","until":"2024-05-01T13:45:00Z"}"#,
          #"on":"2024-05-02T13:45:00Z","until":"2024-05-02T11:45:00Z"}"#,
          #"on":"2024-05-03T00:00:00Z","until":"2024-05-03T01:00:00Z"}"#,
          #"on":"2024-05-04T10:00:00Z","until":"2024-05-05T00:00:00Z"}"#,
        ]
      )
      let found = try depot("count", "Visits", "--where", "on >= '2024-05-03'")
      #expect(found.output == "2\n", "\(found.errors)")
      let refused = try depot("insert", "Visits", "code=e", "on=01/05/2024")
      #expect(refused.status == 64)
      #expect(try depot("log", "--since", "2024-05-01").status == 0)
    }

    @Test func `a schema that is inferred takes the file as it is`() throws {
      let table = try file(
        "code;price;home.city;on;tags",
        "a;1.5;Rome;2026-01-01T00:00:00Z;\"[\"\"x\"\"]\"",
        "b;2;;2026-01-02T00:00:00Z;[]",
        named: "order-lines.csv"
      )
      let inferred = try depot("schema", "infer", table, "--separator", ";", "--add")
      #expect(inferred.status == 0, "\(inferred.errors)")
      let applied = try depot("schema", "apply", "-", input: inferred.output)
      #expect(applied.status == 0, "\(applied.errors)")
      let imported = try depot("import", "OrderLines", table, "--separator", ";")
      #expect(imported.status == 0, "\(imported.errors)")
      let rows = try depot("export", "OrderLines").lines
      #expect(
        rows == [
          #"{"code":"a","price":1.5,"home":true,"home.city":"Rome","on":"2026-01-01T00:00:00Z","tags":["x"]}"#,
          #"{"code":"b","price":2.0,"home":false,"home.city":null,"on":"2026-01-02T00:00:00Z","tags":[]}"#,
        ]
      )
      let again = try depot("import", "OrderLines", table, "--separator", ";")
      #expect(
        again.errors.contains("conflict.unique") || again.errors.contains("has the same value")
      )
    }
  }
}
