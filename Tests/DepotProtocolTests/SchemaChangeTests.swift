import DepotProtocol
import Testing

@Suite struct SchemaChangeTests {
  private let schema = Schema(entities: [
    Entity(
      name: "Item",
      attributes: [
        Attribute(name: "name", type: .string, isUnique: true),
        Attribute(name: "size", type: .int64, isOptional: true),
      ],
      indexes: [["name", "size"]]
    )
  ])

  private func comparison(_ change: (inout Entity) -> Void) -> SchemaComparison {
    var new = schema
    change(&new.entities[0])
    return SchemaComparison(from: schema, to: new)
  }

  @Test func `equal schemas need nothing`() {
    let comparison = comparison { $0.attributes.reverse() }
    #expect(comparison.changes.isEmpty)
    #expect(comparison.differences.isEmpty)
    #expect(comparison.result == schema)
  }

  @Test func `what is new comes after what exists`() {
    let added = Attribute(name: "a", type: .bool, isOptional: true)
    let comparison = comparison { $0.attributes.insert(added, at: 0) }
    #expect(comparison.changes.map(\.description) == ["added attribute Item.a"])
    guard case .addedAttribute(let field, entity: "Item", fill: .null) = comparison.changes[0]
    else {
      Issue.record("\(comparison.changes)")
      return
    }
    #expect(field.attribute == added)
    #expect(comparison.result.entities[0].attributes.map(\.name) == ["name", "size", "a"])
  }

  @Test func `an index, an indexed attribute, and a default can be added`() {
    let comparison = comparison { entity in
      entity.attributes[1].isIndexed = true
      entity.attributes[1].defaultValue = .int64(1)
      entity.indexes.append(["size"])
    }
    #expect(comparison.differences.isEmpty)
    #expect(
      comparison.changes.map(\.description) == [
        "added index of Item.size", "changed default of Item.size", "added index of Item.(size)",
      ]
    )
  }

  @Test func `a new entity can be added and an old one not be left out`() {
    let tag = Entity(name: "Tag", attributes: [Attribute(name: "t", type: .string)])
    let comparison = SchemaComparison(from: schema, to: Schema(entities: [tag]))
    #expect(comparison.changes == [.addedEntity(tag)])
    #expect(comparison.differences == ["entity Item is missing"])
  }

  @Test func `what rows and programs don't notice can be changed`() {
    let comparison = comparison { entity in
      entity.attributes[0].options = [.spotlight, .preserveValueOnDeletion]
      entity.attributes[1].originalName = "length"
      entity.attributes.append(
        Attribute(
          name: "home",
          type: .composite,
          properties: [Attribute(name: "city", type: .string)],
          isOptional: true
        )
      )
      entity.attributes.append(
        Attribute(name: "cache", type: .bool, isOptional: true, options: .transient)
      )
      entity.relationships = [
        Relationship(name: "parts", destination: "Item", inverse: "whole", isToMany: true),
        Relationship(name: "whole", destination: "Item", inverse: "parts"),
      ]
      entity.rangeIndexes = [["size"]]
      entity.uniques = [["name", "whole"]]
    }
    #expect(comparison.differences.isEmpty)
    #expect(
      comparison.changes.map(\.description) == [
        "turned preservation of Item.name on", "turned full-text search of Item.name on",
        "added attribute Item.home", "added attribute Item.home.city",
        "added relationship Item.parts", "added relationship Item.whole",
        "added range index of Item.(size)", "added unique index of Item.(name, whole)",
      ]
    )
    #expect(comparison.result.entities[0].attributes.last?.name == "cache")
    #expect(comparison.result.entities[0].attributes[1].originalName == "length")
  }

  @Test func `validation and counts may loosen and a delete rule change`() {
    var old = schema
    old.entities[0].attributes[1].validation = .init(minimum: .int64(0), maximum: .int64(9))
    old.entities[0].relationships = [
      Relationship(name: "parts", destination: "Item", isToMany: true, minCount: 1, maxCount: 5)
    ]
    var new = old
    new.entities[0].attributes[1].validation = .init(minimum: .int64(-1))
    new.entities[0].relationships[0].minCount = 0
    new.entities[0].relationships[0].maxCount = 0
    new.entities[0].relationships[0].deleteRule = .cascade
    let comparison = SchemaComparison(from: old, to: new)
    #expect(comparison.differences.isEmpty)
    #expect(comparison.result == new)
    let reverse = SchemaComparison(from: new, to: old)
    #expect(
      reverse.differences == ["Item.size has a looser validation", "Item.parts has looser counts"]
    )
  }

  @Test func `a subentity can be added and what exists keeps its place`() {
    var new = schema
    new.entities.insert(Entity(name: "Box", parent: "Item", attributes: []), at: 0)
    let comparison = SchemaComparison(from: schema, to: new)
    #expect(comparison.changes.map(\.description) == ["added entity Box"])
    #expect(comparison.differences.isEmpty)
    #expect(comparison.result.entities.map(\.name) == ["Item", "Box"])
  }

  static let refused: [(String, @Sendable (inout Entity) -> Void)] = [
    ("Item.name is of type string, not url", { $0.attributes[0].type = .url }),
    ("Item.name is unique", { $0.attributes[0].isUnique = false }),
    ("Item.size is not unique", { $0.attributes[1].isUnique = true }),
    ("Item.size is optional", { $0.attributes[1].isOptional = false }),
    ("Item.name is not optional", { $0.attributes[0].isOptional = true }),
    (
      "attribute Item.size is missing; index of Item.(name, size) is missing",
      {
        $0.attributes.removeLast()
        $0.indexes = []
      }
    ),
    ("index of Item.(name, size) is missing", { $0.indexes = [] }),
    (
      "attribute Item.x is new, but neither optional nor with a default",
      { $0.attributes.append(Attribute(name: "x", type: .bool)) }
    ),
    ("Item.name is of type string, not array of string", { $0.attributes[0].collection = .array }),
    ("Item.size is of type int64, not int8", { $0.attributes[1].width = .int8 }),
    (
      "Item.size has a looser validation",
      { $0.attributes[1].validation = .init(maximum: .int64(1)) }
    ),
    ("Item.name is not stored externally", { $0.attributes[0].options = .externalStorage }),
    ("Item.size has no derivation", { $0.attributes[1].derivation = "length(name)" }),
    ("Item.(name, size) is not unique", { $0.uniques = [["name", "size"]] }),
    (
      "Item.size is not called length",
      {
        $0.attributes[1].name = "length"
        $0.attributes[1].originalName = "size"
        $0.indexes = [["name", "length"]]
      }
    ),
    (
      "relationship Item.whole is new, but must lead to something",
      {
        $0.relationships = [Relationship(name: "whole", destination: "Item", isOptional: false)]
      }
    ),
    ("Item is not abstract", { $0.isAbstract = true }),
    ("Item has another hash modifier", { $0.hashModifier = "2" }),
    ("entity Item is missing", { $0.name = "Thing" }),
  ]

  @Test(arguments: 0..<refused.count)
  func `anything else is a difference`(index: Int) {
    let (words, change) = Self.refused[index]
    #expect(comparison(change).differences.joined(separator: "; ") == words)
  }
}
