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
    #expect(comparison.changes == [.addedAttribute(added, entity: "Item")])
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

  static let refused: [(String, @Sendable (inout Entity) -> Void)] = [
    ("Item.name is of type string, not url", { $0.attributes[0].type = .url }),
    ("Item.name is unique", { $0.attributes[0].isUnique = false }),
    ("Item.size is not unique", { $0.attributes[1].isUnique = true }),
    ("Item.size is optional", { $0.attributes[1].isOptional = false }),
    ("Item.name is not optional", { $0.attributes[0].isOptional = true }),
    ("attribute Item.size is missing", { $0.attributes.removeLast() }),
    ("index of Item.(name, size) is missing", { $0.indexes = [] }),
    (
      "attribute Item.x is new, but neither optional nor with a default",
      { $0.attributes.append(Attribute(name: "x", type: .bool)) }
    ),
  ]

  @Test(arguments: 0..<refused.count)
  func `anything else is a difference`(index: Int) {
    let (words, change) = Self.refused[index]
    #expect(comparison(change).differences == [words])
  }
}
