import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotCommands

@Suite struct SchemaProposalTests {
  private func entity(
    _ text: String,
    named name: String,
    _ form: InputForm = InputForm(),
    maps: [String] = []
  ) throws -> (entity: Entity, advice: String?) {
    let folder = try TemporaryFolder()
    let path = try folder.write(text, to: name)
    let proposal = SchemaProposal(entity: SchemaProposal.entityName(path), try RecordMap(maps))
    try proposal.read(InputFile(path), form)
    return (try proposal.entity(), proposal.advice("f"))
  }

  /// Returns the attributes as `name type`, with `?` if they are optional and `!` if they are unique.
  private func attributes(_ attributes: [Attribute]) -> [String] {
    attributes.map { attribute in
      let parts =
        attribute.properties.isEmpty
        ? "" : "(\(self.attributes(attribute.properties).joined(separator: ", ")))"
      return "\(attribute.name) \(attribute.type.rawValue)"
        + (attribute.collection == nil ? "" : "[]") + parts
        + (attribute.isOptional ? "?" : "") + (attribute.isUnique ? "!" : "")
    }
  }

  @Test func `each value has the narrowest type`() throws {
    let text = """
      {"name":"a","n":1,"d":1,"big":12345678901234567890,"at":"2026-01-01T00:00:00Z","on":true,"m":1}
      {"name":"b","n":-2,"d":1.5,"big":1,"at":"2026-01-02T00:00:00+01:00","on":false,"m":"x","late":"x"}
      {"name":"c","n":3,"d":2,"big":2,"at":"2026-01-03T00:00:00Z","on":true,"m":2,"late":null,"no":null}
      """
    let (entity, advice) = try entity(text, named: "some-rows.ndjson")
    #expect(entity.name == "SomeRows")
    #expect(
      attributes(entity.attributes) == [
        "name string!", "n int64", "d double", "big decimal", "at date", "on bool", "m json",
        "late string?", "no string?",
      ]
    )
    #expect(advice == nil)
  }

  @Test func `objects are composites, and lists are collections`() throws {
    let text = """
      [{"id":"0b8e4a52-9d5b-4b0e-8a94-5b8f3f0a7c21","a":{"x":1,"y":{"z":"t"}},"l":[1,2],"o":[{"q":1}]},
       {"id":"0b8e4a52-9d5b-4b0e-8a94-5b8f3f0a7c22","a":{"y":{"z":"u"}},"l":[],"o":[]},
       {"id":"0b8e4a52-9d5b-4b0e-8a94-5b8f3f0a7c23","a":null,"l":[1.5],"o":[]}]
      """
    let (entity, _) = try entity(text, named: "t.json")
    #expect(
      attributes(entity.attributes) == [
        "id uuid!", "a composite(x int64?, y composite(z string))?", "l double[]", "o json",
      ]
    )
  }

  @Test func `fields of CSV are texts unless all of them are something else`() throws {
    let text =
      "code,zip,n,x,b,home.city,home.zip,l\n1,007,1,1.5,true,Rome,1,\"[1]\"\n2,1,,2,false,,,[]\n"
    let (entity, _) = try entity(text, named: "1-a.csv")
    #expect(entity.name == "_1A")
    #expect(
      attributes(entity.attributes) == [
        "code int64!", "zip string", "n int64?", "x double", "b bool",
        "home composite(city string, zip int64)?", "l int64[]",
      ]
    )
  }

  @Test func `fields of CSV that differ in kind are texts`() throws {
    let text = "a,b,c\n1,\"[1]\",\"[{\"\"x\"\":1}]\"\nx,y,[]\n"
    let (entity, _) = try entity(text, named: "a.csv")
    #expect(attributes(entity.attributes) == ["a string", "b string", "c json"])
  }

  @Test(arguments: ["{\"a\":1}\n{\"a\":\n", "{\"a\":1}\n[1]\n", "a,b\n1,2\n3\n"])
  func `a record that can't be read is told with its line`(text: String) {
    let name = text.first == "a" ? "a.csv" : "a.ndjson"
    let error = #expect(throws: DepotError.self) { try entity(text, named: name) }
    #expect(error?.at == (name == "a.csv" ? "line 3" : "line 2"))
    #expect(error?.message.contains("frame") == false)
  }

  @Test func `what is the same in two records isn't unique, nor what one lacks`() throws {
    let same = try entity(
      "{\"name\":\"a\",\"code\":1}\n{\"name\":\"a\",\"code\":2}\n",
      named: "a.ndjson"
    )
    #expect(attributes(same.entity.attributes) == ["name string", "code int64!"])
    let lacking = try entity(
      "{\"name\":\"a\"}\n{\"name\":null}\n{\"name\":\"b\"}\n",
      named: "a.ndjson"
    )
    #expect(attributes(lacking.entity.attributes) == ["name string?"])
  }

  @Test func `names that no schema has are told with their replacements`() throws {
    let (entity, advice) = try entity(
      "Unit price;unit_price;2x\n1;2;3\n",
      named: "a.csv",
      .init(format: .csv, separator: UInt8(ascii: ";"))
    )
    #expect(entity.attributes.map(\.name) == ["Unit_price", "unit_price_2", "_2x"])
    #expect(
      advice?.hasSuffix(
        "--map 'Unit price=Unit_price' --map 'unit_price=unit_price_2' --map '2x=_2x'"
      ) == true
    )
    let mapped = try self.entity(
      "Unit price;x\n1;2\n",
      named: "a.csv",
      .init(format: .csv, separator: UInt8(ascii: ";")),
      maps: ["Unit price=price", "x="]
    )
    #expect(mapped.entity.attributes.map(\.name) == ["price"])
    #expect(mapped.advice == nil)
  }

  @Test func `a header with another separator isn't taken for one column`() throws {
    let text = "town;country\nWien;AUT\n"
    let error = #expect(throws: DepotError.self) { try entity(text, named: "a.csv") }
    #expect(error?.hint?.hasSuffix("--separator ';'") == true)
    let form = InputForm(separator: UInt8(ascii: ","))
    #expect(try entity(text, named: "a.csv", form).entity.attributes.count == 1)
  }

  @Test func `a header that names a column twice or not at all is refused`() throws {
    let error = #expect(throws: DepotError.self) { try entity("a,b,a\n1,2,3\n", named: "a.csv") }
    #expect(error?.message == "The header names \"a\" twice.")
    let unnamed = #expect(throws: DepotError.self) { try entity("a,,c\n1,2,3\n", named: "a.csv") }
    #expect(unnamed?.message == "Column 2 of the header has no name.")
  }

  @Test func `a document with arrays inside is not taken for a record`() throws {
    let text = #"{"items":[{"a":1},{"a":2}]}"#
    let error = #expect(throws: DepotError.self) { try entity(text, named: "a.json") }
    #expect(error?.hint?.contains("--path /items") == true)
    let inside = try entity(text, named: "a.json", .init(format: .json, path: ["items"]))
    #expect(attributes(inside.entity.attributes) == ["a int64"])
    let whole = try entity(text, named: "a.json", .init(format: .json, path: []))
    #expect(attributes(whole.entity.attributes) == ["items json"])
  }

  @Test(arguments: [
    ("data/order-lines.csv", "OrderLines"), ("iso_3166-1.json", "Iso3166_1"), ("-", "Record"),
    ("été.tsv", "Été"), ("a.b.csv", "AB"),
  ])
  func `an entity has the name of its file`(path: String, name: String) {
    #expect(SchemaProposal.entityName(path) == name)
  }
}
