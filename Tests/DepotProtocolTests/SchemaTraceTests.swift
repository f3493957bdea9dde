import DepotProtocol
import Testing

/// The names of a schema's parts through several versions.
@Suite struct SchemaTraceTests {
  private static func attribute(_ name: String, _ originalName: String? = nil) -> Attribute {
    var attribute = Attribute(name: name, type: .string)
    attribute.originalName = originalName
    return attribute
  }

  private static func entity(
    _ name: String,
    from originalName: String? = nil,
    _ attributes: [Attribute]
  ) -> Entity {
    var entity = Entity(name: name, attributes: attributes)
    entity.originalName = originalName
    return entity
  }

  private func steps(_ versions: [[Entity]]) -> [String] {
    let schemas = versions.map { Schema(entities: $0) }
    let plan = MigrationPlan.infer(from: schemas[0], to: .traced(through: schemas))
    #expect(plan.problems == [])
    return plan.steps.map(\.description)
  }

  /// What one rename after the other, and all of it in one, come to.
  private func expectSame(
    _ versions: [[Entity]],
    as last: [Entity],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = steps(versions)
    let expected = MigrationPlan.infer(
      from: Schema(entities: versions[0]),
      to: Schema(entities: last)
    )
    #expect(!found.isEmpty, sourceLocation: sourceLocation)
    #expect(found == expected.steps.map(\.description), sourceLocation: sourceLocation)
  }

  @Test func `names are followed over several renames`() {
    expectSame(
      [
        [Self.entity("A", [Self.attribute("x"), Self.attribute("y")])],
        [Self.entity("B", from: "A", [Self.attribute("x2", "x"), Self.attribute("y")])],
        [Self.entity("C", from: "B", [Self.attribute("x3", "x2"), Self.attribute("y", "y")])],
      ],
      as: [Self.entity("C", from: "A", [Self.attribute("x3", "x"), Self.attribute("y")])]
    )
  }

  @Test func `names that went around come from where they were first`() {
    expectSame(
      [
        [Self.entity("A", [Self.attribute("x"), Self.attribute("y")])],
        [Self.entity("A", [Self.attribute("t", "x"), Self.attribute("y")])],
        [Self.entity("A", [Self.attribute("t", "x"), Self.attribute("x", "y")])],
        [Self.entity("A", [Self.attribute("y", "t"), Self.attribute("x", "y")])],
      ],
      as: [Self.entity("A", [Self.attribute("y", "x"), Self.attribute("x", "y")])]
    )
  }

  @Test func `what was added in between has no original name`() {
    var added = Self.attribute("n2", "n")
    added.isOptional = true
    var first = Self.attribute("n")
    first.isOptional = true
    expectSame(
      [
        [Self.entity("A", [Self.attribute("x")])],
        [Self.entity("A", [Self.attribute("x"), first])],
        [Self.entity("A", [Self.attribute("x"), added])],
      ],
      as: [
        Self.entity(
          "A",
          [
            Self.attribute("x"),
            Attribute(name: "n2", type: .string, isOptional: true),
          ]
        )
      ]
    )
  }

  @Test func `parts of structures and relationships are followed too`() {
    func home(_ name: String, _ city: Attribute, _ originalName: String? = nil) -> Attribute {
      var home = Attribute(name: name, type: .composite, properties: [city])
      home.originalName = originalName
      return home
    }
    func entity(_ home: Attribute, _ link: (String, String?)) -> Entity {
      var entity = Self.entity("A", [home])
      var relationship = Relationship(name: link.0, destination: "A")
      relationship.originalName = link.1
      entity.relationships = [relationship]
      return entity
    }
    expectSame(
      [
        [entity(home("h", Self.attribute("c")), ("r", nil))],
        [entity(home("h2", Self.attribute("c2", "c"), "h"), ("r2", "r"))],
        [entity(home("h3", Self.attribute("c3", "c2"), "h2"), ("r3", "r2"))],
      ],
      as: [entity(home("h3", Self.attribute("c3", "c"), "h"), ("r3", "r"))]
    )
  }
}
