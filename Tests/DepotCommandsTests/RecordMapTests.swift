import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct RecordMapTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Place",
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(
          name: "home",
          type: .composite,
          properties: [Attribute(name: "city", type: .string, isOptional: true)],
          isOptional: true
        ),
      ],
      relationships: [Relationship(name: "next", destination: "Place", isOptional: true)]
    )
  ])

  private func row(_ json: String, _ maps: [String]) throws -> [String: String] {
    let map = try RecordMap(maps)
    let entity = try Self.schema.entity(named: "Place")
    try map.check(entity, Self.schema)
    let reader = try GraphReader(Self.schema, try LinkRules([], of: entity, Self.schema), map: map)
    let record = try reader.record(Array(json.utf8), of: entity, index: 0, line: 1)
    let row = try #require(record.root)
    var values = Dictionary(
      uniqueKeysWithValues: zip(row.columns, row.values.map { String(decoding: $0, as: UTF8.self) })
    )
    for link in row.links { values[link.relationship.name] = "\(link.references)" }
    return values
  }

  @Test func `members go where they are mapped to`() throws {
    let json = #"{"Label":"a","place":{"town":"Rome","zip":1},"note":[1],"after":7}"#
    let maps = ["Label=name", "place.town=home.city", "place.zip=", "note=", "after=next"]
    #expect(
      try row(json, maps) == [
        "name": #""a""#, "home.city": #""Rome""#,
        "next":
          "\([GraphReference.key(.identifier(of: try Self.schema.entity(named: "Place")), .int64(7))])",
      ]
    )
  }

  @Test func `what isn't mapped keeps its name`() throws {
    #expect(try row(#"{"name":"a","home":{"city":"x"}}"#, []).count == 3)
    #expect(throws: DepotError.self) {
      try row(#"{"name":"a","place":{"zip":1,"town":"x"}}"#, ["place.town=home.city"])
    }
    #expect(throws: DepotError.self) { try row(#"{"name":"a","Label":"b"}"#, ["Label=name"]) }
  }

  @Test(arguments: [["name"], ["="], ["a=name", "b=name"], ["a=name", "a="], ["a=nowhere"]])
  func `a mapping that means nothing is refused`(maps: [String]) {
    #expect(throws: DepotError.self) { try row(#"{"a":"x"}"#, maps) }
  }

  @Test func `a header is mapped, and must have what is mapped`() throws {
    let entity = try Self.schema.entity(named: "Place")
    func object(_ header: String, _ maps: [String]) throws -> String {
      let rules = try LinkRules([], of: entity, Self.schema)
      var style = ImportStyle()
      style.map = try RecordMap(maps)
      var reader = DelimitedReader(delimiter: UInt8(ascii: ";"))
      Array((header + "\n1;2\n").utf8).withUnsafeBytes { reader.receive($0) }
      let rows = [reader.next(), reader.next()].compactMap(\.self)
      let first = try #require(rows.first)
      let second = try #require(rows.last)
      let columns = try DelimitedObjects(
        DelimitedNames(first, InputForm()),
        of: entity,
        Self.schema,
        rules,
        style
      )
      return String(decoding: try columns.object(second), as: UTF8.self)
    }
    #expect(
      try object("Label;Town", ["Label=name", "Town=home.city"]) == #"{"name":"1","home.city":"2"}"#
    )
    #expect(try object("name;Town", ["Town="]) == #"{"name":"1"}"#)
    let error = #expect(throws: DepotError.self) { try object("Label;Town", ["Lable=name"]) }
    #expect(error?.hint == "Did you mean \"Label\"?")
  }

  @Test(arguments: [("a;b", "';'"), ("a\tb", "tab"), ("a|b", "'|'")])
  func `a header that looks as if it had another separator tells so`(
    header: String,
    name: String
  ) throws {
    let schema = Schema(entities: [Fixture.package])
    let rules = try LinkRules([], of: Fixture.package, schema)
    var record = DelimitedRecord()
    record.bytes = Array(header.utf8)
    record.places = [.init(range: record.bytes.indices)]
    let error = #expect(throws: DepotError.self) {
      let names = try DelimitedNames(record, InputForm())
      return try DelimitedObjects(names, of: Fixture.package, schema, rules, ImportStyle())
    }
    #expect(error?.hint?.contains("--separator \(name)") == true)
  }
}
