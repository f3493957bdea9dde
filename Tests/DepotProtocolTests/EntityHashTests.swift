import DepotProtocol
import Testing

@Suite struct EntityHashTests {
  private static let schema = SchemaValidationTests.good

  private func hashes(_ change: (inout Schema) -> Void = { _ in }) -> [String] {
    var schema = Self.schema
    change(&schema)
    return schema.entities.map { $0.hash(in: schema) }
  }

  @Test func `the hash is pinned`() {
    #expect(hashes() == ["d77bcf87fc759b3c", "c9d10db9c7d7c989", "f1d874fe87d3990d"])
  }

  static let same: [@Sendable (inout Schema) -> Void] = [
    { $0.version = nil }, { $0.entities[0].attributes.reverse() },
    { $0.entities[0].relationships.reverse() },
    {
      $0.entities.reverse()
      $0.entities.reverse()
    },
    { $0.entities[0].attributes[0].defaultValue = .string("x") },
    { $0.entities[0].attributes[0].validation.maxLength = 3 },
    { $0.entities[0].attributes[0].isIndexed = true },
    { $0.entities[0].attributes[0].isUnique = true },
    { $0.entities[0].attributes[0].options = [.spotlight, .preserveValueOnDeletion] },
    { $0.entities[0].attributes[0].originalName = "x" }, { $0.entities[0].indexes = [] },
    { $0.entities[0].uniques = [] }, { $0.entities[0].originalName = "x" },
    { $0.entities[0].relationships[0].deleteRule = .deny },
    { $0.entities[0].relationships[0].originalName = "x" },
  ]

  @Test(arguments: same.indices)
  func `what rows don't depend on leaves it as it is`(index: Int) {
    #expect(hashes(Self.same[index]) == hashes())
  }

  static let different: [@Sendable (inout Schema) -> Void] = [
    { $0.entities[0].name = "Human" }, { $0.entities[0].isAbstract = true },
    { $0.entities[0].hashModifier = "2" }, { $0.entities[0].attributes.removeLast() },
    { $0.entities[0].attributes[0].name = "label" }, { $0.entities[0].attributes[0].type = .url },
    { $0.entities[0].attributes[1].properties[1].width = .int8 },
    { $0.entities[0].attributes[2].collection = .array },
    { $0.entities[0].attributes[0].isOptional = true },
    { $0.entities[0].attributes[0].hashModifier = "2" },
    { $0.entities[0].attributes[0].options = .externalStorage },
    { $0.entities[0].attributes[7].derivation = "name" },
    { $0.entities[0].relationships[0].name = "spot" },
    { $0.entities[0].relationships[0].destination = "Hero" },
    { $0.entities[0].relationships[0].inverse = nil },
    { $0.entities[0].relationships[1].isOrdered = true },
    { $0.entities[0].relationships[1].minCount = 1 },
    { $0.entities[0].relationships[0].isOptional = false },
    { $0.entities[0].relationships[0].hashModifier = "2" },
  ]

  @Test func `what rows depend on gives another, each its own`() {
    var seen: Set<String> = [hashes()[0]]
    for change in Self.different { #expect(seen.insert(hashes(change)[0]).inserted) }
  }

  @Test func `what is inherited counts`() {
    #expect(hashes { $0.entities[0].attributes[0].type = .url }[1] != hashes()[1])
    #expect(hashes { $0.entities[0].attributes[0].type = .url }[2] == hashes()[2])
  }
}
