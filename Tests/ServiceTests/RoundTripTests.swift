import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// Rows that go from one store to another as a file of each format.
  @Suite(.serialized) struct RoundTripTests {
    private static let schema = #"""
      {"entities":[
      {"name":"Kind","attributes":[{"name":"number","type":"int64","unique":true}]},
      {"name":"Thing","attributes":[
       {"name":"code","type":"string","unique":true},
       {"name":"text","type":"string","optional":true},
       {"name":"words","type":"string"},
       {"name":"n","type":"int64","optional":true,"default":7},
       {"name":"x","type":"double","optional":true},
       {"name":"on","type":"bool","optional":true},
       {"name":"at","type":"date","optional":true},
       {"name":"money","type":"decimal","optional":true},
       {"name":"bytes","type":"data","optional":true},
       {"name":"uuid","type":"uuid","optional":true},
       {"name":"link","type":"url","optional":true},
       {"name":"any","type":"json","optional":true},
       {"name":"tags","type":"string","collection":"array","optional":true},
       {"name":"sizes","type":"int64","collection":"set","default":[]},
       {"name":"long","type":"string","externalStorage":true,"optional":true},
       {"name":"shout","type":"string","optional":true,"derived":"uppercase(words)"},
       {"name":"home","type":"composite","optional":true,"properties":[
        {"name":"city","type":"string","optional":true},{"name":"floor","type":"int64"}]}],
       "relationships":[
       {"name":"kind","destination":"Kind","optional":true},
       {"name":"next","destination":"Thing","optional":true,"inverse":"before"},
       {"name":"before","destination":"Thing","optional":true,"inverse":"next"},
       {"name":"parts","destination":"Thing","toMany":true,"inverse":"wholes"},
       {"name":"wholes","destination":"Thing","toMany":true,"inverse":"parts"}]},
      {"name":"Box","parent":"Thing","attributes":[
       {"name":"lid","type":"string","optional":true}],
       "relationships":[{"name":"kinds","destination":"Kind","toMany":true,"ordered":true}]}]}
      """#

    private static let texts = [
      "", " ", "a", "a,b", "a;b", "a\tb", "\"", "a\"b\"\"", "line\nline", "cr\r\nlf", "\r", "NULL",
      "null", "\\N", "007", "1e5", "[", "[]", "[1]", "{}", "Thing/1", "é\u{1F600}", "\u{FEFF}x",
      "'",
      "\u{0}", "true", "a@b", "$id",
    ]

    private static func json(_ value: JSONValue) -> String { value.text }

    /// Returns a record in which anything may be null that can be.
    private static func record(
      _ number: Int,
      of count: Int,
      _ generator: inout some RandomNumberGenerator
    ) -> JSONValue {
      func text() -> JSONValue { .string(texts.randomElement(using: &generator) ?? "") }
      func codes(_ limit: Int) -> JSONValue {
        let all = (0..<count).shuffled(using: &generator).prefix(
          Int.random(in: 0...limit, using: &generator)
        )
        return .array(all.map { .string("c\($0)") })
      }
      func kinds() -> JSONValue {
        .array((1...3).shuffled(using: &generator).prefix(2).map { .int64(Int64($0)) })
      }
      let isBox = Bool.random(using: &generator)
      let numbers: [Double] = [0, -0.0, 1, 1.5, 1e300, -1e-300, 0.1, 123456789.125]
      let any: [JSONValue] = [
        .string(""), .string("x"), .string("null"), .string("[1]"), .int64(1), .bool(false),
        .array([.null, .string("a,\"b")]), .object(["k": .string("v\n")]), .double(1.5),
      ]
      let dates = ["2026-02-01T12:30:00Z", "0001-01-01T00:00:00Z", "1969-12-31T23:59:59.5Z"]
      let exact = JSONValue.object(["referenceSeconds": .double(1.25e-10)])
      var members: [String: JSONValue] = [
        "code": .string("c\(number)"), "words": text(), "text": text(),
        "n": .int64([0, -1, 7, .max, .min].randomElement(using: &generator) ?? 0),
        "x": .double(numbers.randomElement(using: &generator) ?? 0),
        "on": .bool(Bool.random(using: &generator)),
        "at": (dates.map(JSONValue.string) + [exact]).randomElement(using: &generator) ?? .null,
        "money": .string(
          ["0", "-12.50", "99999999999999999999.01"].randomElement(using: &generator) ?? "0"
        ),
        "bytes": .string(["", "AA==", "aGVsbG8="].randomElement(using: &generator) ?? ""),
        "uuid": .string("0b8e4a52-9d5b-4b0e-8a94-5b8f3f0a7c21"),
        "link": .string("https://example.org/a,b?c=%22d%22"),
        "any": any.randomElement(using: &generator) ?? .null,
        "tags": .array((0..<Int.random(in: 0...3, using: &generator)).map { _ in text() }),
        "sizes": .array((0..<Int.random(in: 0...3, using: &generator)).map { .int64(Int64($0)) }),
        "long": text(), "home": .object(["city": text(), "floor": .int64(3)]),
        "kind": .int64(Int64.random(in: 1...3, using: &generator)),
        "before": .string("c\((number + 1) % count)"), "parts": codes(3),
      ]
      for name in [
        "text", "n", "x", "on", "at", "money", "bytes", "uuid", "link", "any", "tags", "long",
        "home", "kind", "before",
      ]
      where Int.random(in: 0..<3, using: &generator) == 0 {
        members[name] = .null
      }
      if isBox {
        members["$entity"] = .string("Box")
        members["lid"] = text()
        members["kinds"] = kinds()
      }
      return .object(members)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `rows are the same in another store, in every format`(seed: UInt64) throws {
      var generator = SeededGenerator(seed: seed)
      let schema = Self.schema.filter { $0 != "\n" }
      let first = try TestDaemon(schema: schema)
      let second = try TestDaemon(schema: schema)
      let kinds = "number\n1\n2\n3\n"
      for store in [first, second] {
        #expect(try store.depot(["import", "Kind", "-"], input: kinds).status == 0)
        // Other identifiers than in the first store.
        guard store === second else { continue }
        #expect(try store.depot(["insert", "Kind", "number=4"]).status == 0)
        #expect(try store.depot(["insert", "Thing", "code=x", "words=x"]).status == 0)
        #expect(try store.depot(["delete", "Thing", "--all"]).status == 0)
      }
      let count = 30
      let lines = (0..<count).map { Self.json(Self.record($0, of: count, &generator)) }
      let filled = try first.depot(["import", "Thing", "-"], input: lines.joined(separator: "\n"))
      #expect(filled.status == 0, "\(filled.errors)")
      let sort = ["--sort", "code"]
      let expected = try first.depot(["export", "Thing"] + sort)
      #expect(expected.lines.count == count, "\(expected.errors)")
      for format in ["ndjson", "json", "csv", "tsv"] {
        let options = ["-o", format] + sort + (seed == 2 ? ["--null", "NULL"] : [])
        let exported = try first.depot(["export", "Thing"] + options)
        #expect(exported.status == 0, "\(exported.errors)")
        let path = try second.folder.write(exported.output, to: "things.\(format)")
        let null = seed == 2 && !format.hasSuffix("json") ? ["--null", "NULL"] : []
        let imported = try second.depot(["import", "Thing", path, "--batch", "7"] + null)
        #expect(imported.status == 0, "\(format): \(imported.errors)")
        let there = try second.depot(["export", "Thing"] + sort)
        #expect(there.output == expected.output, "\(format)")
        #expect(try second.depot(["delete", "Thing", "--all"]).status == 0)
      }
    }

    @Test(arguments: [5, 6] as [UInt64], ["ndjson", "json", "csv", "tsv"])
    func `a schema that is inferred takes the file, whatever is in it`(
      seed: UInt64,
      format: String
    ) throws {
      var generator = SeededGenerator(seed: seed)
      let store = try TestDaemon(schema: Self.schema.filter { $0 != "\n" })
      let kinds = "number\n1\n2\n3\n"
      #expect(try store.depot(["import", "Kind", "-"], input: kinds).status == 0)
      let lines = (0..<40).map { Self.record($0, of: 40, &generator).text }
      let filled = try store.depot(["import", "Thing", "-"], input: lines.joined(separator: "\n"))
      #expect(filled.status == 0, "\(filled.errors)")
      let exported = try store.depot(["export", "Box", "-o", format])
      let path = try store.folder.write(exported.output, to: "some-boxes.\(format)")
      let inferred = try store.depot(["schema", "infer", path, "--add"])
      let applied = try store.depot(["schema", "apply", "-"], input: inferred.output)
      #expect(applied.status == 0, "\(applied.errors)\(inferred.errors)")
      let imported = try store.depot(["import", "SomeBoxes", path])
      #expect(imported.status == 0, "\(imported.errors)\(inferred.output)")
      let count = try store.depot(["count", "Box"]).output
      #expect(try store.depot(["count", "SomeBoxes"]).output == count)
      // The values of the file are the same in both.
      let texts = ["code", "words", "long", "tags"].joined(separator: ",")
      let rows = try ["Box", "SomeBoxes"].map { entity in
        try store.depot(["export", entity, "--select", texts, "--sort", "code", "-o", "csv"]).output
      }
      #expect(rows[0] == rows[1])
    }
  }
}
