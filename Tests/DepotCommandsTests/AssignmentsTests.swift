import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct AssignmentsTests {
  let entity: Entity

  init() {
    entity = Fixture.everything
  }

  static let values: [(String, String)] = [
    ("text=a=b \"c\"", #""a=b \"c\"""#), ("text=", #""""#), ("text:=null", "null"),
    ("int=-42", "-42"), ("int:= 42 ", "42"), ("int=9223372036854775807", "9223372036854775807"),
    ("number=1", "1.0"), ("number=NaN", #""NaN""#), ("flag=true", "true"), ("flag:=false", "false"),
    ("date=2026-02-01 12:30", #""2026-02-01T12:30:00Z""#),
    ("date=2026-02-01T12:30:00+01:00", #""2026-02-01T12:30:00+01:00""#),
    ("uuid=6F9619FF-8B86-D011-B42D-00C04FC964FF", #""6F9619FF-8B86-D011-B42D-00C04FC964FF""#),
    ("blob=aGk=", #""aGk=""#), ("decimal=1.10", #""1.10""#),
    ("link=https://a.b/c", #""https://a.b/c""#),
  ]

  @Test(arguments: values)
  func `text becomes the JSON that the attribute takes`(argument: String, json: String) throws {
    let assignments = try Assignments([argument], for: entity, Schema(entities: [entity]))
    #expect(String(decoding: assignments.values[0], as: UTF8.self) == json)
    #expect(assignments.columns == [String(argument.prefix { $0 != "=" && $0 != ":" })])
  }

  /// Composite values, and the columns and values that they become.
  static let composites: [([String], [String], String)] = [
    (
      [#"home:={"city":"Rome","at":{"lat":1}}"#], ["home", "home.city", "home.at.lat"],
      #"[[true,"Rome",1]]"#
    ), (["home:=null"], ["home"], "[[false]]"), (["home.city=Rome"], ["home.city"], #"[["Rome"]]"#),
    // An object stands for the whole value, so what it leaves out gets its default.
    (
      [#"home:={"city":null}"#], ["home", "home.city", "home.at.lat"], "[[true,null,null]]"
    ),
    (
      [#"home:={"at":{"lat":1}}"#, "home.city=Rome"], ["home", "home.at.lat", "home.city"],
      #"[[true,1,"Rome"]]"#
    ),
    (
      [#"work:={"city":"Rome"}"#], ["work.city", "work.zip", "work.at"], #"[["Rome",7,false]]"#
    ),
    (
      [#"work:={"city":"Rome","at":{}}"#], ["work.city", "work.at", "work.zip", "work.at.lat"],
      #"[["Rome",true,7,null]]"#
    ),
    ([#"place:={"lat":1}"#], ["place.lat"], "[[1]]"),
  ]

  private static let composite = Entity(
    name: "Person",
    attributes: [
      Attribute(
        name: "home",
        type: .composite,
        properties: [
          Attribute(name: "city", type: .string, isOptional: true),
          Attribute(
            name: "at",
            type: .composite,
            properties: [Attribute(name: "lat", type: .int64)]
          ),
        ],
        isOptional: true
      ),
      Attribute(
        name: "place",
        type: .composite,
        properties: [Attribute(name: "lat", type: .int64)]
      ),
      Attribute(
        name: "work",
        type: .composite,
        properties: [
          Attribute(name: "city", type: .string),
          Attribute(name: "zip", type: .int64, defaultValue: .int64(7)),
          Attribute(
            name: "at",
            type: .composite,
            properties: [Attribute(name: "lat", type: .int64)],
            isOptional: true
          ),
        ]
      ),
    ]
  )

  @Test(arguments: composites)
  func `a composite value is an object`(
    arguments: [String],
    columns: [String],
    row: String
  ) throws {
    let entity = Self.composite
    let assignments = try Assignments(arguments, for: entity, Schema(entities: [entity]))
    #expect(assignments.columns == columns)
    #expect(String(decoding: assignments.batch.json, as: UTF8.self) == row)
  }

  @Test(arguments: [
    #"home:={"town":1}"#, "place:=null", "place:=1", "home:=1",
    "home.at:=null",
  ])
  func `what is no such value is refused`(argument: String) {
    let entity = Self.composite
    #expect(throws: DepotError.self) {
      try Assignments([argument], for: entity, Schema(entities: [entity]))
    }
  }

  @Test func `assignments become one row`() throws {
    let assignments = try Assignments(
      ["text=x", "int:=1"],
      for: entity,
      Schema(entities: [entity])
    )
    #expect(String(decoding: assignments.batch.json, as: UTF8.self) == #"[["x",1]]"#)
  }

  @Test(arguments: [
    "int=4.5", "int=", "int=9223372036854775808", "number=abc", "number=0x10", "number=1e999",
    "flag=yes", "date=yesterday", "uuid=1", "blob=*", "decimal=1,5", "text:={", "text:=",
    "txt=1", "text", "=x", ":=1",
  ])
  func `what the attribute can't take is refused`(argument: String) {
    #expect(throws: DepotError.self) {
      try Assignments([argument], for: entity, Schema(entities: [entity]))
    }
  }

  @Test func `the nearest attribute is proposed`() {
    let error = #expect(throws: DepotError.self) {
      try Assignments(["txt=1"], for: entity, Schema(entities: [entity]))
    }
    #expect(error?.hint == "Did you mean \"text\"?")
  }

  @Test func `a file that isn't there is no data`() {
    let error = #expect(throws: DepotError.self) {
      try Assignments(["blob=@/nonexistent/file"], for: entity, Schema(entities: [entity]))
    }
    #expect(error?.code.exitStatus == 66)
  }

  @Test func `an attribute gets one value`() {
    #expect(throws: DepotError.self) {
      try Assignments(["int=1", "int=2"], for: entity, Schema(entities: [entity]))
    }
  }

  static let references: [(String, String)] = [
    ("country=7", "7"), ("country=Country/7", "7"), ("country=", "null"), ("country:=null", "null"),
    ("crew=1,Person/2", "[1,2]"), ("crew=", "[]"), (#"crew:={"add":[5]}"#, #"{"add":[5]}"#),
    ("home.city=Rome", #""Rome""#), ("name=x", #""x""#), (#"ports=["a"]"#, #"["a"]"#),
  ]

  @Test(arguments: references)
  func `relationships and what is inherited get values`(argument: String, json: String) throws {
    let schema = DiagramTests.schema
    let assignments = try Assignments([argument], for: schema.entity(named: "Cruise"), schema)
    #expect(String(decoding: assignments.values[0], as: UTF8.self) == json)
  }

  @Test(arguments: ["country=x", "country=1,2", "crew=1,,2", "crw=1", "home.cty=x"])
  func `what is no identifier is refused`(argument: String) {
    let schema = DiagramTests.schema
    #expect(throws: DepotError.self) {
      try Assignments([argument], for: schema.entity(named: "Cruise"), schema)
    }
  }
}
