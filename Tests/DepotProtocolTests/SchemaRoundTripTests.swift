import DepotProtocol
import TestSupport
import Testing

@Suite struct SchemaRoundTripTests {
  @Test func `a schema that uses everything has its golden form, both ways`() throws {
    let json = [
      #"{"version":"1.2.0","entities":[{"name":"BusinessTrip","parent":"Trip","abstract":true,"#,
      #""attributes":[{"name":"price","type":"int16","optional":true,"default":0,"indexed":true,"#,
      #""min":0,"max":10,"originalName":"cost","hashModifier":"x"},"#,
      #"{"name":"size","type":"uint64","default":"18446744073709551615"},"#,
      #"{"name":"tags","type":"string","collection":"set","default":["a"],"maxLength":5,"#,
      #""cases":["a","b"]},"#,
      #"{"name":"home","type":"composite","properties":[{"name":"city","type":"string"}],"#,
      #""optional":true},"#,
      #"{"name":"extra","type":"json","default":{"b":1.50,"a":[" "]}},"#,
      #"{"name":"code","type":"string","unique":true,"minLength":1,"pattern":"[a-z]+"},"#,
      #"{"name":"text","type":"string","externalStorage":true,"preserveValueOnDeletion":true},"#,
      #"{"name":"title","type":"string","spotlight":true},{"name":"mood","type":"bool","optional":true,"ephemeral":true},"#,
      #"{"name":"cache","type":"bool","optional":true,"transient":true},"#,
      #"{"name":"count","type":"int64","derived":"items.@count"}],"#,
      #""relationships":[{"name":"country","destination":"Country","inverse":"trips","#,
      #""optional":true,"deleteRule":"deny","originalName":"land","hashModifier":"y"}],"#,
      #""indexes":[["price","home.city"]],"rangeIndexes":[["price"]],"#,
      #""uniques":[["code","country"]],"originalName":"Old","hashModifier":"z"},"#,
      #"{"name":"Trip","attributes":[{"name":"name","type":"string"}]},"#,
      #"{"name":"Country","attributes":[],"relationships":[{"name":"trips","#,
      #""destination":"BusinessTrip","toMany":true,"inverse":"country","ordered":true,"#,
      #""deleteRule":"cascade","minCount":1,"maxCount":9}]}]}"#,
    ].joined()
    let schema = try Schema(parsing: json.utf8)
    #expect(schema.json == json)
    #expect(schema.version == SchemaVersion(1, 2, 0))
    let trip = schema.entities[0]
    #expect(trip["price"]?.width == .int16)
    #expect(trip["price"]?.type == .int64)
    #expect(trip["size"]?.type == .decimal)
    #expect(trip["tags"]?.defaultValue == .list([.string("a")]))
    #expect(trip["tags"]?.validation.cases == [.string("a"), .string("b")])
    #expect(trip["extra"]?.defaultValue == .json(#"{"b":1.50,"a":[" "]}"#))
    #expect(trip["text"]?.options == [.externalStorage, .preserveValueOnDeletion])
    #expect(trip["title"]?.options == .spotlight)
    #expect(trip.relationship("country")?.deleteRule == .deny)
    #expect(schema["Country"]?.relationship("trips")?.isToMany == true)
  }

  @Test func `white space in a JSON default is left out, but not in its strings`() throws {
    let text = """
      {"entities":[{"name":"E","attributes":[{"name":"a","type":"json","default":
        { "a" : [ 1 , " \\" , " ] } }]}]}
      """
    #expect(
      try Schema(parsing: text.utf8).entities[0]["a"]?.defaultValue
        == .json(#"{"a":[1," \" , "]}"#)
    )
  }

  @Test func `a relationship to one row is required and one to many is optional by itself`() throws
  {
    let text =
      #"{"entities":[{"name":"E","attributes":[],"relationships":["#
      + #"{"name":"a","destination":"E"},{"name":"b","destination":"E","toMany":true}]}]}"#
    let relationships = try Schema(parsing: text.utf8).entities[0].relationships
    #expect(relationships.map(\.isOptional) == [false, true])
  }

  static let invalid: [(String, DepotError.Code, String)] = [
    (#""collection":"list""#, .invalidSchema, #"There is no kind of collection "list""#),
    (#""properties":{}"#, .type, "an array"), (#""min":"x""#, .type, "int64"),
    (#""cases":[1,"x"]"#, .type, "int64"), (#""minLength":-1"#, .numberRange, "minLength"),
    (#""collection":"set","default":1"#, .type, "an array"), (#""derived":1"#, .type, "a string"),
    (#""spotlight":1"#, .type, "true or false"), (#""uniqe":true"#, .unknownMember, "uniqe"),
  ]

  @Test(arguments: invalid)
  func `a member of the wrong form is refused`(
    members: String,
    code: DepotError.Code,
    words: String
  ) throws {
    let text =
      #"{"entities":[{"name":"E","attributes":[{"name":"a","type":"int64",\#(members)}]}]}"#
    let error = try #require(throws: DepotError.self) { try Schema(parsing: text.utf8) }
    #expect(error.code == code, "\(error)")
    #expect(error.message.contains(words), "\(error)")
    #expect(error.at?.hasPrefix("/entities/0/attributes/0") == true, "\(error)")
  }

  @Test(arguments: seeds(500))
  func `any schema is read as it was written`(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let schema = generator.schema()
    try schema.validate()
    let read = try Schema(parsing: schema.json.utf8)
    #expect(read.json == schema.json)
    #expect(read.fingerprint == schema.fingerprint)
    for (left, right) in zip(schema.entities, read.entities) {
      #expect(left.relationships == right.relationships)
      #expect(left.attributes.map(\.options) == right.attributes.map(\.options))
      #expect(left.attributes.map(\.properties.count) == right.attributes.map(\.properties.count))
      #expect(left.hash(in: schema) == right.hash(in: read))
    }
  }
}
