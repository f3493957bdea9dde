import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// The formats of what `depot` writes, and the words of its errors.
  @Suite(.serialized) struct CommandLineOutputTests {
    private let daemon: TestDaemon

    private static let schema = """
      {"entities":[{"name":"Country","attributes":[{"name":"name","type":"string","unique":true}],\
      "relationships":[{"name":"cities","destination":"City","toMany":true,"inverse":"country"}]},\
      {"name":"City","attributes":[{"name":"name","type":"string"},\
      {"name":"population","type":"int64","optional":true}],\
      "relationships":[{"name":"country","destination":"Country","inverse":"cities"}]}]}
      """

    init() throws {
      daemon = try TestDaemon(schema: Self.schema)
      let countries = ["Austria", "Brazil", "Chad"].map { #"{"name":"\#($0)"}"# }
      #expect(try run("insert", "Country", "-", input: lines(countries)).status == 0)
      let cities = [("Wien", 1900, 1), ("Graz", 290, 1), ("Rio", 6700, 2)].map {
        #"{"name":"\#($0)","population":\#($1),"country":\#($2)}"#
      }
      #expect(try run("insert", "City", "-", input: lines(cities)).status == 0)
    }

    private func lines(_ lines: [String]) -> String { lines.joined(separator: "\n") }

    private func run(_ arguments: String..., input: String? = nil) throws -> Outcome {
      try daemon.depot(arguments, input: input)
    }

    @Test(arguments: [
      (["count", "City", "population > 1000"], "count City where population > 1000: 2 rows in "),
      (["call", "ping"], "ping in "),
      (["count", "Town"], "count Town: failed in "),
    ])
    func `DEPOT_LOG prints what is asked for`(arguments: [String], line: String) throws {
      let command = [Programs.depot, "--socket", daemon.socket] + arguments
      for (setting, isPrinted) in [("1", true), ("0", false)] {
        let outcome = try Program.run(command, environment: ["DEPOT_LOG": setting])
        let lines = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("depot: \(line)") }
        #expect(lines.count == (isPrinted ? 1 : 0), "\(outcome.errors)")
        #expect(lines.allSatisfy { $0.contains(/in \d+\.\d\d\d ms/) })
      }
    }

    @Test(arguments: [
      ("cities.@count", "3 2 1"), ("cities.@count:desc,name", "1 2 3"),
      ("cities.@max.population:desc", "2 1 3"), ("cities.@min.population", "3 1 2"),
      ("cities.@sum.population:desc", "2 1 3"), ("cities.@avg.population:desc,name", "2 1 3"),
    ])
    func `rows are sorted by what they lead to`(keys: String, order: String) throws {
      let outcome = try run("fetch", "Country", "--sort", keys, "-o", "ids")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output == order.split(separator: " ").map { "Country/\($0)\n" }.joined())
    }

    @Test func `groups are by what rows lead to`() throws {
      let outcome = try run("aggregate", "Country", "--by", "cities.@count", "-o", "csv")
      #expect(outcome.output == "cities_count,count\r\n0,1\r\n1,1\r\n2,1\r\n", "\(outcome.errors)")
    }

    @Test(arguments: [["log"], ["history"], ["insert", "Country", "-"]])
    func `JSON is one document, and NDJSON is lines`(arguments: [String]) throws {
      let input = lines([#"{"name":"Denmark"}"#, #"{"name":"Estonia"}"#])
      let json = try daemon.depot(arguments + ["-o", "json"], input: input)
      #expect(json.status == 0, "\(json.errors)")
      #expect((try JSONValue(parsing: json.output.utf8)).array?.count ?? 0 >= 2)
      let other = lines([#"{"name":"Fiji"}"#, #"{"name":"Ghana"}"#])
      let ndjson = try daemon.depot(arguments + ["-o", "ndjson"], input: other)
      #expect(ndjson.lines.count >= 2)
      for line in ndjson.lines { #expect(try JSONValue(parsing: line.utf8).object != nil) }
    }

    @Test func `a history without transactions is an array too`() throws {
      let outcome = try run("log", "-o", "json", "--author", "nobody")
      #expect(outcome.output == "[]\n")
    }

    @Test(arguments: [
      ["log"], ["history"], ["blame", "City/1"], ["stats"], ["container", "list"],
      ["schema", "show"], ["show", "City/1", "--at", "0-0"],
    ])
    func `an answer that isn't rows is refused as CSV`(arguments: [String]) throws {
      let outcome = try daemon.depot(arguments + ["-o", "csv"])
      #expect(outcome.status == 64)
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors.contains("can't be shown as csv"))
      #expect(outcome.errors.contains("hint: Use -o table, -o expanded, -o json"))
    }

    @Test func `a log that is followed can't be an array`() throws {
      let outcome = try run("log", "-f", "-o", "json")
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("Use -o table or -o ndjson."))
    }

    @Test(arguments: ["json", "csv", "tsv", "ndjson", "table", "ids"])
    func `an error before the first row leaves no output`(format: String) throws {
      for verb in [
        ["fetch", "City"], ["export", "City"], ["fetch", "City", "--prefetch", "country"],
      ] {
        let outcome = try daemon.depot(verb + ["--where", "nme == 1", "-o", format])
        #expect(outcome.status != 0)
        #expect(outcome.output.isEmpty, "\(verb): \(outcome.output)")
      }
      let groups = try run("aggregate", "City", "--by", "nme", "-o", format)
      #expect(groups.output.isEmpty)
      #expect(try run("get", "City/1", "City/77", "-o", format).output.isEmpty)
    }

    @Test func `an export of a composite has all its parts`() throws {
      let parts = """
        {"name":"city","type":"string"},{"name":"note","type":"string","optional":true}
        """
      let schema = """
        {"entities":[{"name":"Person","attributes":[{"name":"home","type":"composite",\
        "optional":true,"properties":[\(parts)]},{"name":"work","type":"composite",\
        "properties":[{"name":"city","type":"string","default":"x"}]}]},\
        {"name":"Friend","parent":"Person","attributes":[{"name":"n","type":"int64"}]}]}
        """
      let file = try daemon.folder.write(schema, to: "people.json")
      #expect(try run("container", "open", "people", "--schema", file).status == 0)
      func people(_ arguments: String..., input: String? = nil) throws -> Outcome {
        try daemon.depot(["--container", "people"] + arguments, input: input)
      }
      #expect(try people("insert", "Person", "home.city=Rome").status == 0)
      let csv = try people("export", "Person", "--no-subentities", "--select", "home,work")
      #expect(csv.lines == [#"{"home":true,"home.city":"Rome","home.note":null,"work.city":"x"}"#])
      #expect(try people("insert", "Friend", "n=1", "home.city=Bern").status == 0)
      let all = try people("export", "Person", "--select", "home,n", "-o", "csv")
      #expect(
        all.output == "$entity,home,home.city,home.note,n\r\nPerson,true,Rome,,\r\n"
          + "Friend,true,Bern,,1\r\n"
      )
      let text = try daemon.folder.write(String(repeating: "a", count: 9 << 20), to: "text")
      #expect(try people("blob", "put", "Person/1", "home.note", text).status == 0)
      for format in ["csv", "ndjson"] {
        let large = try people("export", "Person", "--select", "home", "-o", format)
        let reason = "home.note of Person/1 is too large for an export"
        #expect(large.errors.contains(reason), "\(large.errors)")
      }
      for family in [[], ["--no-subentities"]] {
        let named = try daemon.depot(
          ["--container", "people", "export", "Person", "--select", "home,work,$id"] + family
        )
        #expect(named.errors.contains("at: --select, name 3"), "\(named.errors)")
      }
    }

    @Test(arguments: [
      ("csv", "a,b", 64), ("csv", "\"", 64), ("csv", "a\r\n", 64), ("tsv", "\t", 64),
      ("csv", "\\N", 0), ("tsv", "a,b", 0), ("table", "a,b", 0),
    ])
    func `a text for null that breaks a file is refused`(
      format: String,
      text: String,
      status: Int32
    ) throws {
      let outcome = try run("export", "City", "-o", format, "--null", text)
      #expect(outcome.status == status, "\(outcome.errors)")
    }

    @Test func `an error in the middle leaves an array that is whole`() throws {
      let schema = """
        {"entities":[{"name":"Photo","attributes":[{"name":"name","type":"string"},\
        {"name":"a","type":"json","optional":true},{"name":"b","type":"json","optional":true},\
        {"name":"c","type":"json","optional":true}]}]}
        """
      let file = try daemon.folder.write(schema, to: "photo.json")
      #expect(try run("container", "open", "photos", "--schema", file).status == 0)
      let photos = (0..<3000).map { #"{"name":"p\#($0)"}"# }
      let container = ["--container", "photos"]
      let imported = try daemon.depot(
        container + ["import", "Photo", "-"],
        input: lines(photos)
      )
      #expect(imported.status == 0, "\(imported.errors)")
      // A row with 18 MB of JSON, which isn't read in parts as texts and data are, fits into no reply.
      let large = String(repeating: "7", count: 6_000_000)
      for name in ["a", "b", "c"] {
        let updated = try daemon.depot(
          container + ["call", "update", "-"],
          input: #"{"entity":"Photo","ids":[3000],"set":{"\#(name)":"\#(large)"}}"#
        )
        #expect(updated.status == 0, "\(updated.errors)")
      }
      let fetch = container + ["fetch", "Photo", "-o"]
      let json = try daemon.depot(fetch + ["json"])
      #expect(json.status == 75, "\(json.errors)")
      let rows = try #require(try JSONValue(parsing: json.output.utf8).array)
      #expect(1000..<3000 ~= rows.count)
      for format in ["table", "csv"] {
        let other = try daemon.depot(fetch + [format])
        #expect(other.status == 75)
        #expect(other.output.utf8.count { $0 == UInt8(ascii: "\n") } == rows.count + 1)
      }
    }

    @Test func `a batch that isn't stored shows no identifiers`() throws {
      let input = lines([#"{"name":"Denmark"}"#, #"{"name":"Austria"}"#])
      let inserted = try run("insert", "Country", "-", "-o", "json", input: input)
      #expect(inserted.status == 65)
      #expect(inserted.output.isEmpty)
    }

    /// A command line and the lines that its error has.
    static let errors: [([String], [String])] = [
      (
        ["insert", "Country", "name=Austria"],
        ["hint: Change the value, or add --on-conflict skip or --on-conflict replace."]
      ),
      (["update", "Country/2", "name=Austria"], ["hint: Change the value."]),
      (["fetch", "Country", "--sort", "name,nme"], ["at: --sort, key 2"]),
      (["fetch", "Country", "--where", "frob(name) == 1"], ["Tab in depot shell lists them."]),
      (["fetch", "Country", "--where", "name == 1"], ["In name == 1: ", "the type of name."]),
      (["fetch", "Country", "--section-by", "cities.@count"], ["depot aggregate Country --by"]),
      (
        ["--container", "nope", "count", "Country"],
        ["hint: Open it with: depot container open NAME"]
      ),
      (
        ["fetch", "City", "--after", "1", "--sort", "name"],
        ["--after needs 2 values", "at: --after"]
      ),
      (["delete", "City"], ["or for every row: depot delete City --all"]),
      (["update", "City", "name=x y"], ["or for every row: depot update City --all 'name=x y'"]),
      (["update", "City"], ["depot update City --where PREDICATE NAME=TEXT"]),
    ]

    @Test(arguments: errors)
    func `errors are told in words of the command line`(
      arguments: [String],
      texts: [String]
    ) throws {
      let outcome = try daemon.depot(arguments)
      #expect(outcome.status != 0)
      for text in texts { #expect(outcome.errors.contains(text), "\(outcome.errors)") }
      #expect(!outcome.errors.contains("/args"))
      #expect(!outcome.errors.contains("{\""))
    }
  }
}
