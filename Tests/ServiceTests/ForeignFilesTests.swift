import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// Files as other programs write them, from `depot schema infer` to the rows, by nothing but its advice.
  @Suite(.serialized) struct ForeignFilesTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon()
    }

    /// A file, the options that its reader knows of, and rows as an export writes them.
    struct Sample: Sendable, CustomTestStringConvertible {
      var name: String
      var bytes: [UInt8]
      var options = ""
      var rows: [String]

      var testDescription: String { name }

      init(_ name: String, _ text: String, options: String = "", rows: String...) {
        self.init(name, Array(text.utf8), options: options, rows: rows)
      }

      init(_ name: String, _ bytes: [UInt8], options: String = "", rows: [String]) {
        self.name = name
        self.bytes = bytes
        self.options = options
        self.rows = rows
      }
    }

    private static func utf16(_ text: String, isBig: Bool) -> [UInt8] {
      text.utf16.flatMap { unit in
        let bytes = [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)]
        return isBig ? bytes : bytes.reversed()
      }
    }

    static let samples: [Sample] = [
      Sample(
        "catalogue.csv",
        "id,title,notes\r\n1,\"The \"\"Big\"\" One\",\"line\r\nbreak, and more\"\r\n2,\"a,b\",\r\n",
        rows: #"{"id":1,"title":"The \"Big\" One","notes":"line\r\nbreak, and more"}"#,
        #"{"id":2,"title":"a,b","notes":null}"#
      ),
      Sample(
        "sheet.tsv",
        utf16("\u{FEFF}Name\tPreis (€)\r\nÄpfel\t1.5\r\n\"Bir\nnen 😀\"\t2\r\n", isBig: false),
        rows: [#"{"Name":"Äpfel","Preis":1.5}"#, #"{"Name":"Bir\nnen 😀","Preis":2.0}"#]
      ),
      Sample("big.csv", utf16("a,b\r\nx,1\r\n", isBig: true), rows: [#"{"a":"x","b":1}"#]),
      Sample("mac.csv", "a,b\r1,2\r3,4\r", rows: #"{"a":1,"b":2}"#, #"{"a":3,"b":4}"#),
      Sample("mac.ndjson", "{\"a\":1}\r{\"a\":2}\r", rows: #"{"a":1}"#, #"{"a":2}"#),
      Sample(
        "pg.tsv",
        "1\tO'Neil \"x\"\t\\N\t12.50\n2\ta\\tb\\\\c\\nd\t2026-01-02 10:00:00+00\t\\N\n\\.\n",
        options: "--no-header --escapes",
        rows: #"{"column_1":1,"column_2":"O'Neil \"x\"","column_3":null,"column_4":12.5}"#,
        #"{"column_1":2,"column_2":"a\tb\\c\nd","column_3":"2026-01-02T10:00:00Z","column_4":null}"#
      ),
      Sample(
        "my.txt",
        "1\tx\\\ty\\\nz\t\\N\n2\t\t5\n",
        options: "--no-header --escapes --columns id,text,size",
        rows: #"{"id":1,"text":"x\ty\nz","size":null}"#,
        #"{"id":2,"text":"","size":5}"#
      ),
      Sample(
        "places.geojson",
        """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","properties":{"name":"A"},"geometry":{"type":"Point","coordinates":[1.5,2]}},
        {"type":"Feature","properties":{"name":"B"},"geometry":{"type":"Line","coordinates":[[1,2]]}}]}
        """,
        rows: #"{"type":"Feature","properties.name":"A","geometry.type":"Point","#
          + #""geometry.coordinates":[1.5,2]}"#,
        #"{"type":"Feature","properties.name":"B","geometry.type":"Line","#
          + #""geometry.coordinates":[[1,2]]}"#
      ),
      Sample(
        "log.ndjson",
        """
        {"@timestamp":"2026-01-01T00:00:00Z","http":{"req id":"x"},"days":["2026-01-01"],"n":1}
        {"@timestamp":"2026-01-01T00:00:01Z","http":{"req id":"y"},"days":[],"n":0.12345678901234567890}

        """,
        rows: #"{"timestamp":"2026-01-01T00:00:00Z","http.req_id":"x","days":["2026-01-01"],"#
          + #""n":"1"}"#,
        #"{"timestamp":"2026-01-01T00:00:01Z","http.req_id":"y","days":[],"#
          + #""n":"0.1234567890123456789"}"#
      ),
      Sample(
        "pretty.ndjson",
        "{\n \"a\": 1,\n \"b\": {\"c\": 2}\n}\n{\n \"a\": 2,\n \"b\": {\"c\": 3}\n}\n",
        rows: #"{"a":1,"b.c":2}"#,
        #"{"a":2,"b.c":3}"#
      ),
      Sample(
        "header.csv",
        "a,,A,a,\(String(repeating: "long ", count: 60)),home,home.city\n1,2,3,4,5,x,y\n",
        rows: #"{"a":1,"column_2":2,"A_3":3,"a_2":4,"#
          + "\"\(String(repeating: "long_", count: 12))\":5," + #""home":"x","home_city":"y"}"#
      ),
      Sample(
        "words.csv",
        "select,order,version,rowid,entity,self,true,null,AND,$ref,_id,hash\n1,2,3,4,5,6,7,8,9,10,11,12\n",
        rows: #"{"select":1,"order":2,"version":3,"rowid":4,"entity":5,"self":6,"true":7,"null":8,"#
          + #""AND":9,"ref":10,"_id":11,"hash":12}"#
      ),
      Sample(
        "members.ndjson",
        #"{"":1,"a b":{"c d":{"e f":1}},"it's":2,"Name":3,"name":4}"# + "\n",
        rows: #"{"column":1,"a_b.c_d.e_f":1,"it_s":2,"Name":3,"name_2":4}"#
      ),
      Sample("semicolons.csv", "a;b\n1;2\n", rows: #"{"a":1,"b":2}"#),
      Sample("bars.csv", "a|b\n1|2\n", rows: #"{"a":1,"b":2}"#),
      Sample(
        "inside.json",
        #"{"result":{"it ems":[{"a":1},{"a":2}]}}"#,
        rows: #"{"a":1}"#,
        #"{"a":2}"#
      ),
    ]

    /// Runs a command line of `depot` in a shell, as it was advised.
    private func typed(_ line: String) throws -> Outcome {
      try Program.run(
        ["sh", "-c", "cd \(daemon.folder.path) && depot \(line)"],
        environment: [
          "DEPOT_SOCKET": daemon.socket, "DEPOT_NO_START": "1",
          "PATH": URL(filePath: Programs.depot).deletingLastPathComponent().path + ":/usr/bin:/bin",
        ]
      )
    }

    @Test(arguments: samples)
    func `what is inferred takes the file by following each advice to the letter`(
      sample: Sample
    ) throws {
      try Data(sample.bytes).write(to: URL(filePath: daemon.folder.path + "/" + sample.name))
      var options = sample.options
      var inferred = try typed("schema infer \(sample.name) \(options) --entity T --add")
      if inferred.status != 0 {
        // The hint ends with the option to add, or names it before a second way.
        let hint = try #require(inferred.errors.components(separatedBy: "hint: ").dropFirst().first)
        let advice = try #require(hint.components(separatedBy: "--").dropFirst().first)
        options += " --" + advice.components(separatedBy: [".", "\n"])[0]
        inferred = try typed("schema infer \(sample.name) \(options) --entity T --add")
      }
      #expect(inferred.status == 0, "\(inferred.errors)")
      let applied = try daemon.depot(["schema", "apply", "-"], input: inferred.output)
      #expect(applied.status == 0, "\(applied.errors)")
      let advice = inferred.errors.components(separatedBy: "Import it with: ").dropFirst().first
      let names = (advice ?? "").trimmingCharacters(in: .newlines)
      let line = "import T \(sample.name) \(options) \(names)"
      let imported = try typed(line)
      #expect(imported.status == 0, "\(line): \(imported.errors)")
      #expect(try daemon.depot(["export", "T"]).lines.map(String.init) == sample.rows)
    }

    @Test(arguments: [
      ("gzip -c rows.csv > packed", "packed"), ("zstd -q rows.csv -o rows.csv.zst", "rows.csv.zst"),
    ])
    func `a packed file is recognized by its first bytes, and unpacked as is advised`(
      command: String,
      name: String
    ) throws {
      _ = try daemon.folder.write("name\na\n", to: "rows.csv")
      let packed = try Program.run(["sh", "-c", "cd \(daemon.folder.path) && \(command)"])
      if packed.status != 0 { return }
      let refused = try typed("import Item \(name)")
      #expect(refused.status == 64)
      let advice = try #require(refused.errors.components(separatedBy: "Unpack it first: ").last)
      let unpacked = try Program.run(["sh", "-c", "cd \(daemon.folder.path) && \(advice)"])
      #expect(unpacked.status == 0, "\(unpacked.errors)")
      let file = try #require(advice.split(separator: " ").last)
      #expect(try typed("import Item \(file)").status == 0)
    }

    /// A file that people had trouble with, and the rows that it holds.
    struct Report: Sendable, CustomTestStringConvertible {
      var testDescription: String
      var name: String
      var text: String
      var options: [String] = []
      var status: Int32 = 0
      var rows: [String]
      var words: [String] = []
    }

    static let reports = [
      Report(
        testDescription: "csvs-to-sqlite#30",
        name: "rows.csv",
        text: "name,n\nNull,1\nNULL,\n",
        rows: [#"{"name":"Null","n":1,"text":null}"#, #"{"name":"NULL","n":0,"text":null}"#]
      ),
      Report(
        testDescription: "mongo#1120",
        name: "rows.csv",
        text: "name,text\nx,y\n\"HC 73 BOX 95, \"D\"\",\"data\"\nz,w\n",
        status: 65,
        rows: [#"{"name":"x","n":0,"text":"y"}"#],
        words: ["line 3", "1 row before it was stored"]
      ),
      Report(
        testDescription: "mongo#759",
        name: "rows.tsv",
        text: "name\ttext\n\"foo\"\t\"foo\tbar\"\n",
        rows: [#"{"name":"foo","n":0,"text":"foo\tbar"}"#]
      ),
      Report(
        testDescription: "duckdb#6943",
        name: "rows.csv",
        text: "\"name\",\"text\"\n\"1\",null\n\"null\",\"2\"\n",
        options: ["--null", "null"],
        rows: [#"{"name":"1","n":0,"text":null}"#, #"{"name":"null","n":0,"text":"2"}"#]
      ),
      Report(
        testDescription: "duckdb#11164",
        name: "rows.csv",
        text: "name,n,text\na,1,c\nd,\n",
        status: 65,
        rows: [#"{"name":"a","n":1,"text":"c"}"#],
        words: ["The row has 2 fields; the header has 3"]
      ),
      Report(
        testDescription: "neo4j#5110",
        name: "rows.csv",
        text: "name,n\n\"x\ny\nz\",1\n\"p\n\nq\",2\nr,three\n",
        status: 65,
        rows: [
          #"{"name":"x\ny\nz","n":1,"text":null}"#, #"{"name":"p\n\nq","n":2,"text":null}"#,
        ],
        words: ["line 8"]
      ),
      Report(
        testDescription: "birdclaw#61",
        name: "rows.ndjson",
        text: "{\"name\":\"free)\u{2028}x\u{2029}\"}\n   \n{\"name\":\"a\\u0000b\"}\n",
        rows: [
          "{\"name\":\"free)\u{2028}x\u{2029}\",\"n\":0,\"text\":null}",
          #"{"name":"a\u0000b","n":0,"text":null}"#,
        ]
      ),
      Report(
        testDescription: "a comma at the end of each line",
        name: "rows.csv",
        text: "name,n,\na,1,\n",
        status: 65,
        rows: [],
        words: ["Column 3 of the header has no name", "--columns 'name,n,'"]
      ),
      Report(
        testDescription: "spaces behind commas",
        name: "rows.csv",
        text: "name,n\na, 1\n",
        rows: [#"{"name":"a","n":1,"text":null}"#]
      ),
    ]

    @Test(arguments: reports)
    func `files that other tools had trouble with have their rows here`(report: Report) throws {
      let path = try daemon.folder.write(report.text, to: report.name)
      let imported = try daemon.depot(["import", "Item", path] + report.options)
      #expect(imported.status == report.status, "\(imported.errors)")
      for words in report.words { #expect(imported.errors.contains(words), "\(imported.errors)") }
      let rows = try daemon.depot(["export", "Item", "--select", "name,n,text"])
      #expect(rows.lines.map(String.init) == report.rows)
    }

    @Test(arguments: ["rows.csv", "rows.ndjson"])
    func `a value of more than eight MiB is refused with its line, and the others are stored`(
      name: String
    ) throws {
      let large = String(repeating: "é", count: Limits.valueBytes / 2 + 1)
      let rows = [("a", "x"), ("b", large), ("c", "y")]
      let text =
        name == "rows.csv"
        ? "name,text\n" + rows.map { "\($0),\($1)\n" }.joined()
        : rows.map { #"{"name":"\#($0)","text":"\#($1)"}"# + "\n" }.joined()
      let path = try daemon.folder.write(text, to: name)
      let ended = try daemon.depot(["import", "Item", path])
      #expect(ended.status == 75, "\(ended.errors)")
      #expect(
        ended.errors.contains("at: line \(name == "rows.csv" ? 3 : 2), text"),
        "\(ended.errors)"
      )
      #expect(ended.errors.contains("depot blob put"), "\(ended.errors)")
      let rejects = daemon.folder.path + "/rejects"
      let imported = try daemon.depot(["import", "Item", path, "--rejects", rejects])
      #expect(imported.status == 65)
      #expect(imported.errors.contains("2 inserted, 1 rejected"), "\(imported.errors)")
      #expect(try Data(contentsOf: URL(filePath: rejects)).count > Limits.valueBytes)
      #expect(try daemon.depot(["export", "Item", "--select", "name"]).lines.count == 2)
    }

    @Test func `a bad record of related ones ends the import behind those before it`() throws {
      let schema = try daemon.folder.write(
        #"{"entities":[{"name":"Note","attributes":[{"name":"t","type":"json","optional":true}]}]}"#,
        to: "note.json"
      )
      let container = ["--container", "notes"]
      let open = ["container", "open", "notes", "--memory", "--schema", schema]
      #expect(try daemon.depot(open).status == 0)
      let path = try daemon.folder.write("t\n\"{\"\"a\"\":1}\"\n\"{\"a\"}\"\n", to: "notes.csv")
      let imported = try daemon.depot(container + ["import", "Note", path])
      #expect(imported.status == 65)
      #expect(imported.errors.contains("1 row before it was stored"), "\(imported.errors)")
      #expect(try daemon.depot(container + ["count", "Note"]).output == "1\n")
    }

    @Test func `the first line of a file without a header is stored`() throws {
      let path = try daemon.folder.write("1,a,x\n2,b,\\N\n", to: "rows.csv")
      let options = ["--no-header", "--columns", "n,name,text", "--null", "\\N"]
      let imported = try daemon.depot(["import", "Item", path] + options)
      #expect(imported.status == 0, "\(imported.errors)")
      let rows = try daemon.depot(["export", "Item"]).lines
      #expect(
        rows == [#"{"name":"a","n":1,"text":"x"}"#, #"{"name":"b","n":2,"text":null}"#]
      )
      let ordered = try daemon.folder.write("c,3,y\n", to: "ordered.csv")
      #expect(try daemon.depot(["import", "Item", ordered, "--no-header"]).status == 0)
      let refused = try daemon.depot(["import", "Item", path, "--no-header", "--columns", "n,name"])
      #expect(refused.errors.contains("The row has 3 fields; --columns names 2."))
      let few = try daemon.folder.write("d,4\n", to: "few.csv")
      let short = try daemon.depot(["import", "Item", few, "--no-header"])
      #expect(short.errors.contains("Item has 3 attributes"), "\(short.errors)")
      #expect(short.errors.contains("--columns"), "\(short.errors)")
      let replaced = try daemon.depot(["import", "Item", few, "--columns", "name,n"])
      #expect(replaced.errors.contains("add --no-header"), "\(replaced.errors)")
    }

    @Test(arguments: ["--no-header", "--escapes", "--columns a"])
    func `what only CSV has is refused for JSON`(option: String) throws {
      let refused = try typed("import Item rows.json --format json \(option)")
      #expect(refused.status == 64)
      #expect(refused.errors.contains("is for csv and tsv only"), "\(refused.errors)")
    }

    @Test func `an export into plain tables tells of columns with other names`() throws {
      let schema = #"{"entities":[{"name":"T","attributes":[{"name":"id","type":"string"}]}]}"#
      let path = try daemon.folder.write(schema, to: "t.json")
      _ = try daemon.depot(["container", "open", "c", "--memory", "--schema", path])
      let file = daemon.folder.path + "/plain.sqlite"
      let exported = try daemon.depot(["--container", "c", "export", "--sqlite", file])
      #expect(exported.status == 0, "\(exported.errors)")
      #expect(exported.errors.contains("T.id is in the column id_"), "\(exported.errors)")
    }
  }
}
