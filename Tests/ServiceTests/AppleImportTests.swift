import DepotClient
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// Stores of Core Data and SwiftData, brought into a real service.
  @Suite(.serialized) struct AppleImportTests {
    private let daemon: TestDaemon
    private var store: String { daemon.folder.path + "/default.store" }

    init() throws {
      daemon = try TestDaemon(schema: "")
    }

    private func make(_ options: String...) throws {
      let outcome = try Program.python(AppleFixture.script, [store] + options)
      #expect(outcome.status == 0, "\(outcome.errors)")
    }

    private func rows(_ arguments: String...) throws -> [String] {
      let outcome = try daemon.depot(["fetch"] + arguments + ["-o", "ndjson"])
      #expect(outcome.status == 0, "\(outcome.errors)")
      return try outcome.lines.map { line in
        var row = try JSONValue(parsing: line.utf8).object ?? [:]
        for name in ["$id", "$version"] { row[name] = nil }
        return JSONValue.object(row).text
      }
    }

    /// The folders that imports have made; those that were killed leave theirs.
    private func temporaryPlaces() throws -> Set<String> {
      Set(try FileManager.default.contentsOfDirectory(atPath: "/tmp"))
        .filter { $0.hasPrefix("depot-import-") }
    }

    private func snapshot() throws -> [String: Data] {
      var files: [String: Data] = [:]
      for suffix in ["", "-wal", "-shm"] {
        files[suffix] = FileManager.default.contents(atPath: store + suffix)
      }
      return files
    }

    /// Checks the content of the store, with names as a model has them.
    private func check() throws {
      #expect(
        try rows("Person", "--sort", "fullName", "--select", "fullName,isActive,height,bornOn,key")
          == [
            #"{"bornOn":"2001-01-01T00:00:00Z","fullName":"Ada","height":1.75,"isActive":true,"#
              + #""key":"12345678-1234-5678-1234-567812345678"}"#,
            #"{"bornOn":"2001-01-02T00:00:00.5Z","fullName":"Bob","height":1.5,"isActive":false,"key":null}"#,
            #"{"bornOn":"2000-12-31T23:59:59Z","fullName":"Cyd","height":null,"isActive":true,"key":null}"#,
          ]
      )
      #expect(
        try rows("Employee", "--sort", "fullName", "--select", "salary,company.title") == [
          #"{"company.title":"Acme","salary":"1234.56"}"#,
          #"{"company.title":"Acme","salary":"10"}"#,
        ]
      )
      #expect(
        try rows("Person", "--where", "ANY tags.label == 'tall'", "--select", "fullName").count == 2
      )
      #expect(try rows("Person", "--where", "tags.@count == 2", "--select", "fullName").count == 1)
      let photos = try ["1", "2"].map {
        try daemon.depot(["blob", "get", "Person/\($0)", "photo"])
      }
      _ = photos
      let lengths = try rows(
        "Person",
        "--where",
        "photo != nil",
        "--sort",
        "fullName",
        "--select",
        "photo"
      )
      #expect(lengths.first == #"{"photo":"c21hbGw="}"#)
      #expect(lengths.last?.count ?? 0 > 6000)
    }

    @Test(arguments: [["model"], ["model", "log"]])
    func `a store that remembers its model is imported as it was`(options: [String]) throws {
      let outcome = try Program.python(AppleFixture.script, [store] + options)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let before = try snapshot()
      let places = try temporaryPlaces()
      let imported = try daemon.depot(["import", "--apple", store, "--infer"])
      #expect(imported.status == 0, "\(imported.errors)")
      #expect(imported.errors.contains("1 reference led to rows that aren't there"))
      try check()
      // The order of the relationship, not that of the rows.
      let ordered = try rows("Company", "--where", "title == 'Acme'", "--prefetch", "people")
      let text = ordered.joined()
      let (cyd, bob) = (text.firstRange(of: "Cyd"), text.firstRange(of: "Bob"))
      if let cyd, let bob { #expect(cyd.lowerBound < bob.lowerBound) }
      #expect(cyd != nil)
      #expect(try snapshot() == before)
      #expect(try temporaryPlaces().isSubset(of: places))
    }

    @Test func `a schema of one's own says what is taken, and as what`() throws {
      try make()
      let schema = try daemon.folder.write(
        #"""
        {"version":"1.0.0","entities":[
          {"name":"Company","attributes":[{"name":"title","type":"string","unique":true}],
           "relationships":[{"name":"people","destination":"Person","toMany":true,"inverse":"company","ordered":true}]},
          {"name":"Person","attributes":[{"name":"fullName","type":"string"},{"name":"isActive","type":"bool"},
            {"name":"height","type":"double","optional":true},{"name":"bornOn","type":"date","optional":true},
            {"name":"key","type":"uuid","optional":true},{"name":"photo","type":"data","optional":true}],
           "relationships":[{"name":"company","destination":"Company","inverse":"people","optional":true},
            {"name":"tags","destination":"Tag","toMany":true,"inverse":"people"}]},
          {"name":"Employee","parent":"Person","attributes":[{"name":"salary","type":"decimal","optional":true}]},
          {"name":"Tag","attributes":[{"name":"label","type":"string"}],
           "relationships":[{"name":"people","destination":"Person","toMany":true,"inverse":"tags"}]}]}
        """#,
        to: "apple.schema.json"
      )
      let outcome = try daemon.depot(["import", "--apple", store, "--schema", schema])
      #expect(outcome.status == 0, "\(outcome.errors)")
      try check()
    }

    @Test func `a store without a model is imported as its tables tell`() throws {
      try make()
      let outcome = try daemon.depot(["import", "--apple", store, "--infer"])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(
        try rows("Person", "--sort", "fullname", "--select", "fullname,salary,company.title") == [
          #"{"company.title":null,"fullname":"Ada","salary":null}"#,
          #"{"company.title":"Acme","fullname":"Bob","salary":"1234.56"}"#,
          #"{"company.title":"Acme","fullname":"Cyd","salary":"10"}"#,
        ]
      )
      #expect(
        try rows("Person", "--where", "ANY tags.label == 'tall'", "--select", "fullname").count == 2
      )
    }

    @Test(arguments: ["address,address2", "address"])
    func
      `a name with a number at its end is another property, and marks of small values are left out`(
        names: String
      ) throws
    {
      let script = #"""
        import os, sqlite3, sys
        c = sqlite3.connect(sys.argv[1])
        c.executescript("""
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        CREATE TABLE ZSHOP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZADDRESS VARCHAR, ZADDRESS2 VARCHAR, ZSIGN BLOB);
        INSERT INTO Z_PRIMARYKEY VALUES (1, 'Shop', 0, 2);
        INSERT INTO Z_METADATA VALUES (1, '8C1D1F5E-0000-4000-8000-000000000001', x'00');
        INSERT INTO ZSHOP VALUES (1, 1, 'High Street', 'second floor', x'01616263'), (2, 1, NULL, 'left', NULL);
        """)
        os.makedirs(os.path.join(os.path.dirname(sys.argv[1]), '.default_SUPPORT', '_EXTERNAL_DATA'))
        """#
      #expect(try Program.python(script, [store]).status == 0)
      let attributes = names.split(separator: ",").map {
        #"{"name":"\#($0)","type":"string","optional":true}"#
      }
      let schema = try daemon.folder.write(
        #"{"entities":[{"name":"Shop","attributes":[\#(attributes.joined(separator: ",")),"#
          + #"{"name":"sign","type":"data","optional":true}]}]}"#,
        to: "shop.json"
      )
      let outcome = try daemon.depot(["import", "--apple", store, "--schema", schema])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(
        try rows("Shop", "--sort", "$id", "--select", "address,sign") == [
          #"{"address":"High Street","sign":"YWJj"}"#, #"{"address":null,"sign":null}"#,
        ]
      )
    }

    @Test func `a value that isn't of its type, and what is no such store, are told`() throws {
      try make()
      let schema = try daemon.folder.write(
        #"{"entities":[{"name":"Tag","attributes":[{"name":"label","type":"int64"}]}]}"#,
        to: "wrong.json"
      )
      let wrong = try daemon.depot(["import", "--apple", store, "--schema", schema])
      #expect(wrong.status == 64)
      #expect(wrong.errors.contains("Tag/1, label"), "\(wrong.errors)")
      let note = try daemon.folder.write("a letter, and no store", to: "letter")
      #expect(try daemon.depot(["import", "--apple", note, "--infer"]).status == 74)
      let own = try daemon.depot(["import", "--apple", daemon.folder.path + "/none", "--infer"])
      #expect(own.status == 66)
      let neither = try daemon.depot(["import", "--apple", store])
      #expect(neither.status == 64)
    }
  }

  /// Stores as plain tables, as other tools read them.
  @Suite(.serialized) struct TablesExportTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon(schema: "")
    }

    private static let reader = #"""
      import json, sqlite3, sys
      c = sqlite3.connect(sys.argv[1])
      assert c.execute("PRAGMA foreign_key_check").fetchall() == []
      assert c.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
      for query in sys.argv[2:]:
          print(json.dumps(c.execute(query).fetchall(), default=lambda v: v.hex()))
      """#

    @Test func `an SQLite file has plain tables with foreign keys`() throws {
      let store = daemon.folder.path + "/default.store"
      let made = try Program.python(AppleFixture.script, [store, "model"])
      #expect(made.status == 0, "\(made.errors)")
      let imported = try daemon.depot(["import", "--apple", store, "--infer"])
      #expect(imported.status == 0, "\(imported.errors)")
      let file = daemon.folder.path + "/plain.sqlite"
      for _ in 0..<2 {
        let outcome = try daemon.depot(["export", "--sqlite", file])
        #expect(outcome.status == 0, "\(outcome.errors)")
      }
      let read = try Program.python(
        Self.reader,
        [
          file,
          "SELECT p.fullName, p.isActive, p.salary, c.title, p.entity FROM Person p "
            + "LEFT JOIN Company c ON c.id = p.company_id ORDER BY 1",
          "SELECT p.fullName, t.label FROM Person p, Tag t, Person_tags j "
            + "WHERE j.Person_id = p.id AND j.Tag_id = t.id ORDER BY 1, 2",
          "SELECT bornOn, key FROM Person ORDER BY fullName LIMIT 1",
          "SELECT p.fullName FROM Company_people j, Person p WHERE j.Person_id = p.id ORDER BY position",
        ]
      )
      #expect(read.status == 0, "\(read.errors)")
      #expect(
        read.lines == [
          #"[["Ada", 1, null, null, "Person"], ["Bob", 0, "1234.56", "Acme", "Employee"], "#
            + #"["Cyd", 1, "10", "Acme", "Employee"]]"#,
          #"[["Ada", "kind"], ["Ada", "tall"], ["Cyd", "tall"]]"#,
          #"[["2001-01-01T00:00:00Z", "12345678-1234-5678-1234-567812345678"]]"#,
          #"[["Cyd"], ["Bob"]]"#,
        ]
      )
    }

    @Test func `names of tables and indexes that are alike are told apart`() throws {
      let schema = """
        {"entities":[{"name":"Book","attributes":[{"name":"title","type":"string"}],"relationships":
        [{"name":"tags","destination":"Tag","toMany":true,"inverse":"books"},
        {"name":"tags_Book","destination":"Tag","optional":true}]},
        {"name":"Tag","attributes":[],"relationships":
        [{"name":"books","destination":"Book","toMany":true,"inverse":"tags"}]},
        {"name":"book_TAGS","attributes":[{"name":"title","type":"string"}]}]}
        """
      let applied = try daemon.depot([
        "schema", "apply", try daemon.folder.write(schema, to: "schema.json"),
      ])
      #expect(applied.status == 0, "\(applied.errors)")
      let file = daemon.folder.path + "/plain.sqlite"
      let outcome = try daemon.depot(["export", "--sqlite", file])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let read = try Program.python(Self.reader, [file, "SELECT Tag_id FROM Book_tags_"])
      #expect(read.lines == ["[]"], "\(read.errors)")
    }

    @Test func `numbers that SQLite stores as others are said`() throws {
      let schema = """
        {"entities":[{"name":"Sample","attributes":[{"name":"x","type":"double"}]}]}
        """
      let applied = try daemon.depot([
        "schema", "apply", try daemon.folder.write(schema, to: "schema.json"),
      ])
      #expect(applied.status == 0, "\(applied.errors)")
      let file = daemon.folder.path + "/plain.sqlite"
      for (number, note) in [("0", false), ("NaN", true), ("-0.0", true)] {
        #expect(try daemon.depot(["insert", "Sample", "x=\(number)"]).status == 0)
        let outcome = try daemon.depot(["export", "--sqlite", file])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("can't be in an SQLite file") == note, "\(outcome.errors)")
      }
    }

    @Test func `nothing but an earlier export is written over`() throws {
      let note = try daemon.folder.write("a letter", to: "letter")
      #expect(try daemon.depot(["export", "--sqlite", note]).status == 64)
      #expect(try String(contentsOfFile: note, encoding: .utf8) == "a letter")
      #expect(try daemon.depot(["export", "--sqlite", daemon.store]).status == 64)
    }
  }
}
