import Testing

@testable import SwiftData

@Suite struct `Schemas` {
  private let schema = Schema(
    [Garden.Tree.self, Garden.Shed.self],
    version: Schema.Version(1, 2, 3)
  )

  @Test func `an entity has its properties`() throws {
    let tree = try #require(schema.entity(for: Garden.Tree.self))
    #expect(
      tree.properties.map(\.name) == ["name", "height", "planted", "place", "owner", "fruits"]
    )
    #expect(tree.attributesByName["name"]?.isUnique == true)
    #expect(tree.attributesByName["planted"]?.isOptional == true)
    #expect(tree.attributesByName["height"]?.valueType == Double.self)
    #expect(tree.attributesByName["height"]?.defaultValue as? Double == 2.5)
    let place = try #require(tree.attributesByName["place"] as? Schema.CompositeAttribute)
    #expect(place.properties.map(\.name) == ["row", "column"])
    let fruits = try #require(tree.relationshipsByName["fruits"])
    #expect(fruits.destination == "Fruit")
    #expect(fruits.inverseName == "tree")
    #expect(fruits.inverseKeyPath == \Garden.Fruit.tree)
    #expect(fruits.deleteRule == .cascade)
    #expect(!fruits.isToOneRelationship)
    #expect(tree.relationshipsByName["owner"]?.isToOneRelationship == true)
    #expect(tree.uniquenessConstraints == [["place.row", "place.column"]])
    #expect(tree.indices == [["height"], ["place.row"]])
  }

  @Test func `a subclass has the properties of its superclass`() throws {
    let schema = Schema([Garden.Shed.self, Garden.Greenhouse.self])
    let house = try #require(schema.entity(for: Garden.Greenhouse.self))
    let shed = try #require(schema.entity(for: Garden.Shed.self))
    #expect(house.superentityName == "Shed")
    #expect(house.superentity === shed)
    #expect(shed.subentities == [house])
    #expect(house.inheritedProperties.map(\.name) == ["size"])
    #expect(house.storedProperties.map(\.name) == ["temperature"])
    #expect(house.inheritedPropertiesByName["size"] != nil)
    #expect(house.storedPropertiesByName["temperature"] != nil)
  }

  @Test func `an entity outlives its schema, and knows its superclass only by name then`() throws {
    func house() -> Schema.Entity? {
      Schema([Garden.Shed.self, Garden.Greenhouse.self]).entity(for: Garden.Greenhouse.self)
    }
    let entity = try #require(house())
    #expect(entity.superentity == nil)
    #expect(entity.superentityName == "Shed")
  }

  @Test func `an entity may be described without a class, and changed`() {
    let name = Schema.Attribute(name: "name", options: [.unique], valueType: String.self)
    let note = Schema.Attribute(name: "note", originalName: "text", valueType: String?.self)
    let place = Schema.CompositeAttribute(name: "place", valueType: Garden.Place.self)
    let entity = Schema.Entity("Tree", properties: name, place)
    #expect(place.properties.map(\.name) == ["row", "column"])
    #expect((name.isUnique, name.originalName) == (true, "name"))
    #expect((note.isOptional, note.originalName) == (true, "text"))
    #expect("\(String(reflecting: name))" == "name: String [.unique]")
    entity.attributesByName["note"] = note
    #expect(entity.storedProperties.map { $0.name } == ["name", "note", "place"])
    entity.attributes = [name]
    entity.superentityName = "Plant"
    #expect(entity.storedPropertiesByName.keys.sorted() == ["name"])
    let other = Schema.Entity("Shrub", properties: name)
    other.storedPropertiesByName = ["note": note]
    other.relationships = [Schema.Relationship(deleteRule: .cascade)]
    #expect(other.properties.count == 2)
    #expect(Schema.Unique<Garden.Tree>.CodingKeys.constraints.stringValue == "constraints")
  }

  @Test func `a schema that was saved and loaded is equal`() throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let url = folder.url.appendingPathComponent("schema.json")
    try schema.save(to: url)
    let loaded = try Schema.load(from: url)
    #expect(loaded == schema)
    #expect(loaded.hashValue == schema.hashValue)
    #expect(loaded.version == Schema.Version(1, 2, 3))
    #expect(loaded.encodingVersion == Schema.schemaEncodingVersion)
    #expect(loaded.entitiesByName["Tree"]?.relationshipsByName["fruits"]?.inverseName == "tree")
    #expect(loaded != Schema([Garden.Tree.self]))
  }

  @Test func `a schema without classes opens no container`() throws {
    let entity = Schema.Entity("Thing", properties: Schema.Attribute(.unique))
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Schema(entity),
        configurations: [ModelConfiguration(isStoredInMemoryOnly: true)]
      )
    }
  }

  @Test func `inverses are found where there is only one choice`() {
    let tree = EntityDescription.of(Garden.Tree.self)
    let owner = tree.property(named: "owner")
    #expect(owner?.inverse?.name == "trees")
    let cat = EntityDescription.of(Garden.Cat.self)
    for property in cat.properties {
      #expect(property.inverse == nil)
    }
  }

  @Test func `names of versions sort by number`() {
    #expect(Schema.Version(1, 2, 10) > Schema.Version(1, 2, 9))
    #expect("\(Schema.Version(1, 2, 10))" == "1.2.10")
    #expect(Schema.entityName(for: Garden.Tree.self) == "Tree")
  }
}

/// Models of a garden.
enum Garden {
  struct Place: Codable, Hashable {
    var row: Int
    var column: Int
  }

  @Model final class Tree {
    #Unique<Tree>([\.place.row, \.place.column])
    #Index<Tree>([\.height], [\.place.row])

    @Attribute(.unique) var name: String
    var height = 2.5
    var planted: Date?
    var place: Place
    var owner: Gardener?
    @Relationship(deleteRule: .cascade, inverse: \Fruit.tree) var fruits: [Fruit] = []

    init(name: String, place: Place) {
      self.name = name
      self.place = place
    }
  }

  @Model final class Fruit {
    var weight: Int
    var tree: Tree?

    init(weight: Int) { self.weight = weight }
  }

  @Model final class Gardener {
    var name: String
    var trees: [Tree] = []

    init(name: String) { self.name = name }
  }

  @Model class Shed {
    var size: Int

    init(size: Int) { self.size = size }
  }

  @Model class Greenhouse: Shed {
    var temperature: Double

    init(size: Int, temperature: Double) {
      self.temperature = temperature
      super.init(size: size)
    }
  }

  @Model final class Cat {
    var friend: Cat?
    var mother: Cat?
    var kittens: [Cat] = []

    init() {}
  }
}
