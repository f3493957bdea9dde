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
    let name = SchemaProposal.entityName(path)
    let proposal = SchemaProposal(entity: name, try RecordMap(maps), form)
    try proposal.read(InputFile(path))
    return (try proposal.entity(), proposal.advice("f").map { String($0.dropLast()) })
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

  @Test(arguments: ["sep=;\r\n", "SEP=;\n"])
  func `a first line for Excel names the separator`(line: String) throws {
    let found = try entity("\(line)name;size\na,b;1\n", named: "items.csv").entity
    #expect(attributes(found.attributes) == ["name string", "size int64"])
    var form = InputForm()
    form.separator = UInt8(ascii: ",")
    let other = try entity("\(line)name,size\na;b,1\n", named: "items.csv", form).entity
    #expect(attributes(other.attributes) == ["name string", "size int64"])
    // Another line that begins so is the header, which is one column.
    #expect(throws: DepotError.self) { try entity("sep=;x\n1\n", named: "items.csv") }
  }

  @Test func `more columns than an entity can have are counted`() throws {
    let names = (0...Limits.attributes).map { "c\($0)" }.joined(separator: ",")
    let values = Array(repeating: "1", count: Limits.attributes + 1).joined(separator: ",")
    let error = #expect(throws: DepotError.self) {
      try entity("\(names)\n\(values)\n", named: "wide.csv")
    }
    #expect(error?.message == "Wide would have 501 attributes; an entity has at most 500.")
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

  @Test(arguments: [
    ("1.1,1.10", "string"), ("1.10,2.50", "double"), ("1.10,1.10", "double"),
    ("2.500,7,2.50", "string"), ("1E5,2E3", "string"), ("1e5,4,2E3", "string"),
    ("1e-05,0.5", "double"), ("1e5,0.5", "double"), ("1e+16,1e+17", "double"),
  ])
  func `numbers in CSV are codes if they show it`(values: String, type: String) throws {
    let lines = values.split(separator: ",").joined(separator: "\n")
    let found = try entity("v\n\(lines)\n", named: "rows.csv").entity
    #expect(attributes(found.attributes) == ["v \(type)"])
    // Numbers in JSON are numbers.
    let records = values.split(separator: ",").map { "{\"v\":\($0)}" }.joined(separator: "\n")
    let numbers = try entity(records, named: "rows.ndjson").entity
    #expect(attributes(numbers.attributes) == ["v double"])
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
    let form = InputForm(format: .csv, separator: UInt8(ascii: ";"))
    let (entity, advice) = try entity("Unit price;unit_price;2x\n1;2;3\n", named: "a.csv", form)
    #expect(entity.attributes.map(\.name) == ["Unit_price_2", "unit_price", "_2x"])
    #expect(advice?.hasSuffix("--columns Unit_price_2,unit_price,_2x") == true)
    let maps = ["Unit price=price", "x="]
    let mapped = try self.entity("Unit price;x\n1;2\n", named: "a.csv", form, maps: maps)
    #expect(mapped.entity.attributes.map(\.name) == ["price"])
    #expect(mapped.advice == nil)
  }

  @Test func `members of objects have names that can be mapped`() throws {
    let text = #"{"":1,"home address":{"zip code":"x","city":"y"},"it's":2,"$ref":3,"$id":"A/1"}"#
    let (entity, advice) = try entity(text + "\n" + text, named: "a.ndjson")
    #expect(
      attributes(entity.attributes) == [
        "column int64", "home_address composite(zip_code string, city string)", "it_s int64",
        "ref int64",
      ]
    )
    #expect(
      advice?.hasSuffix(
        "--map =column --map 'home address=home_address' --map 'it'\\''s=it_s' --map '$ref=ref'"
          + " --map 'home address.zip code=home_address.zip_code'"
      ) == true,
      "\(advice ?? "")"
    )
  }

  @Test func `columns without a name of their own get one, and all are told at once`() throws {
    let long = String(repeating: "long ", count: 60)
    let (entity, advice) = try entity(
      "a,,A,a,\(long),home.city,home.City\n1,2,3,4,5,6,7\n",
      named: "a.csv"
    )
    let names = entity.attributes.map(\.name)
    #expect(names.prefix(4) == ["a", "column_2", "A_3", "a_2"])
    #expect(names[4].utf8.count <= 61)
    #expect(attributes(entity.attributes)[5] == "home composite(city int64, City_2 int64)")
    let list = names.prefix(5).joined(separator: ",")
    #expect(advice?.hasSuffix("--columns \(list),home.city,home.City_2") == true)
  }

  @Test(arguments: [
    ("0.12345678901234567890", "decimal"), ("0.1234567890123456", "double"),
    ("3.141592653589793", "double"), ("1e300", "double"), ("9007199254740993", "int64"),
    ("12345678901234567890", "decimal"), ("-12345678901234567890", "decimal"),
    ("100000000000000000000.5", "decimal"), ("1.50000000000000000000", "double"),
  ])
  func `a number loses no digits by its type`(number: String, type: String) throws {
    for (text, name) in [("n\n\(number)\n", "a.csv"), ("{\"n\":\(number)}\n", "a.ndjson")] {
      #expect(try entity(text, named: name).entity.attributes[0].type.rawValue == type)
    }
  }

  @Test func `whole numbers that no double has are decimals beside fractions`() throws {
    let text = "n,m,o\n9007199254740993,1,0.12345678901234567\n0.5,0.5,1e300\n"
    let entity = try entity(text, named: "a.csv").entity
    #expect(attributes(entity.attributes) == ["n decimal", "m double", "o string"])
  }

  @Test func `columns have numbers if there is no header, or names of one's choice`() throws {
    var form = InputForm(format: .tsv)
    form.hasHeader = false
    form.hasEscapes = true
    form.nullText = InputForm.dumpNull
    let text = "1\ta\\tb\t\\N\n2\t\t5\n"
    #expect(
      attributes(try entity(text, named: "a.txt", form).entity.attributes) == [
        "column_1 int64", "column_2 string", "column_3 int64?",
      ]
    )
    form.columns = ["id", "", "size"]
    #expect(
      attributes(try entity(text, named: "a.txt", form).entity.attributes) == [
        "id int64!", "size int64?",
      ]
    )
  }

  @Test func `a header with another separator isn't taken for one column`() throws {
    let text = "town;country\nWien;AUT\n"
    let error = #expect(throws: DepotError.self) { try entity(text, named: "a.csv") }
    #expect(error?.hint?.hasSuffix("--separator ';'") == true)
    let form = InputForm(separator: UInt8(ascii: ","))
    #expect(try entity(text, named: "a.csv", form).entity.attributes.count == 1)
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
