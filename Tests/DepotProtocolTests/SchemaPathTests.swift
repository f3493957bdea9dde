import DepotProtocol
import Testing

@Suite struct SchemaPathTests {
  private let schema = SchemaValidationTests.good

  private func resolve(_ path: String, from entity: String = "Person") throws -> ResolvedPath {
    try schema.resolve(path: path, from: schema.entity(named: entity))
  }

  private func field(_ end: ResolvedPath.End) -> Field? {
    if case .field(let field) = end { field } else { nil }
  }

  @Test func `an attribute, one of a composite, and its presence are found`() throws {
    #expect(try field(resolve("name").end)?.attribute.type == .string)
    let city = try resolve("home.city")
    #expect(city.steps.isEmpty)
    #expect(field(city.end)?.path == "home.city")
    #expect(city.isOptional)
    #expect(city.type == .string)
    #expect(try field(resolve("home").end)?.isPresence == true)
  }

  @Test func `what is inherited is found with who declares it`() throws {
    #expect(try field(resolve("name", from: "Hero").end)?.owner == "Person")
    let path = try resolve("friends.name", from: "Hero")
    #expect(path.steps.map(\.owner) == ["Person"])
    #expect(path.entity == "Person")
  }

  @Test func `relationships are followed and only to-many ones give collections`() throws {
    let one = try resolve("place.lat")
    #expect(one.steps.map(\.relationship.name) == ["place"])
    #expect(one.entity == "Place")
    #expect(!one.isToMany)
    #expect(one.isOptional)
    let many = try resolve("place.residents.home.zip")
    #expect(many.steps.map(\.relationship.name) == ["place", "residents"])
    #expect(many.isToMany)
    #expect(field(many.end)?.path == "home.zip")
    #expect(try !resolve("capital.lat").isOptional)
  }

  @Test func `a path can end in a row, its identifier, version, or entity`() throws {
    #expect(try resolve("place").end == .object)
    #expect(try resolve("friends").isToMany)
    #expect(try resolve("$id").end == .identifier)
    #expect(try resolve("place.$version").end == .version)
    #expect(try resolve("friends.$entity").type == .string)
    #expect(try resolve("place").type == .int64)
  }

  @Test func `a collection is told from a value`() throws {
    let path = try resolve("friends.tags")
    guard case .collection(let field) = path.end else {
      Issue.record("\(path.end)")
      return
    }
    #expect(field.path == "tags")
    #expect(try !resolve("tags").isToMany)
  }

  static let wrong: [(String, String, String)] = [
    ("nam", "Person has no attribute \"nam\"", "Did you mean \"name\"?"),
    ("place.lta", "Place has no attribute \"lta\"", "Did you mean \"lat\"?"),
    ("freinds.name", "Person has no attribute \"freinds.name\"", "It has "),
    ("plase", "no attribute \"plase\"", "Did you mean \"place\"?"),
    ("home.citi", "no attribute \"home.citi\"", "Did you mean \"home.city\"?"),
    ("name.x", "Person.name is a string: nothing follows it", "Only relationships"),
    ("place.$id.x", "Nothing follows $id in \"place.$id.x\"", "End the path"),
    ("$entty", "no attribute \"$entty\"", "Did you mean \"$entity\"?"),
    ("cache", "no attribute \"cache\"", "is transient"),
    ("", "no attribute \"\"", "It has "),
    ("place.", "Place has no attribute \"\"", "It has "),
    ("place..lat", "Place has no attribute \".lat\"", "Did you mean \"lat\"?"),
  ]

  @Test(arguments: wrong)
  func `a path that leads nowhere names the part and the nearest`(
    path: String,
    words: String,
    hint: String
  ) throws {
    let error = try #require(throws: DepotError.self) { try resolve(path) }
    #expect(error.code == .unknownAttribute)
    #expect(error.message.contains(words), "\(error)")
    #expect(error.hint?.contains(hint) == true, "\(error)")
  }

  @Test func `a required composite alone is no value`() throws {
    let home = Attribute(
      name: "home",
      type: .composite,
      properties: [Attribute(name: "city", type: .string)]
    )
    let schema = Schema(entities: [
      Entity(name: "P", attributes: [home]),
      Entity(name: "Q", parent: "P", attributes: [Attribute(name: "only", type: .bool)]),
    ])
    let parent = try schema.entity(named: "P")
    let error = try #require(throws: DepotError.self) {
      try schema.resolve(path: "home", from: parent)
    }
    #expect(error.hint == "It has home.city.")
    let other = try #require(throws: DepotError.self) {
      try schema.resolve(path: "only", from: parent)
    }
    #expect(other.hint == "Only Q has it.")
  }
}
