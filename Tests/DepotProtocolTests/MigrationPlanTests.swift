import DepotProtocol
import TestSupport
import Testing

@Suite struct MigrationPlanTests {
  static let old = Schema(
    version: SchemaVersion(1, 0, 0),
    entities: [
      Entity(
        name: "Trip",
        attributes: [
          Attribute(name: "name", type: .string),
          Attribute(name: "cost", type: .int64, width: .int16, isOptional: true),
          Attribute(
            name: "home",
            type: .composite,
            properties: [
              Attribute(name: "city", type: .string), Attribute(name: "zip", type: .int64),
            ]
          ),
        ],
        relationships: [
          Relationship(name: "country", destination: "Country", inverse: "trips")
        ],
        indexes: [["name", "cost"]]
      ),
      Entity(
        name: "Country",
        attributes: [Attribute(name: "code", type: .string)],
        relationships: [
          Relationship(name: "trips", destination: "Trip", inverse: "country", isToMany: true)
        ]
      ),
    ]
  )

  private func plan(_ change: (inout Schema) -> Void) -> MigrationPlan {
    Self.plan(from: Self.old, change)
  }

  private static func plan(
    from old: Schema,
    _ change: (inout Schema) -> Void
  ) -> MigrationPlan {
    var new = old
    new.version = SchemaVersion(2, 0, 0)
    change(&new)
    #expect(throws: Never.self) { try new.validate() }
    return MigrationPlan.infer(from: old, to: new)
  }

  private func steps(_ plan: MigrationPlan) -> [String] {
    #expect(plan.problems.isEmpty)
    return plan.steps.map(\.description)
  }

  @Test func `a version alone needs no steps`() {
    #expect(steps(plan { _ in }).isEmpty)
  }

  @Test(arguments: [attributes, relationships, entities].flatMap(\.self))
  func `a change takes these steps`(change: Case) {
    let plan = plan(change.change)
    #expect(steps(plan).sorted() == change.steps.sorted())
    #expect(plan.isDestructive == change.isDestructive)
    #expect(plan.steps.contains(where: \.needsRowCheck) == change.needsRowCheck)
  }

  static let problems: [(String, @Sendable (inout Schema) -> Void)] = [
    (
      "Trip.name is of type string, not int64",
      { $0.entities[0].attributes[0].type = .int64 }
    ),
    (
      "Trip.home is of type composite, not json",
      {
        $0.entities[0].attributes[2] = Attribute(name: "home", type: .json, isOptional: true)
      }
    ),
    (
      "Trip.cost is of type int16, not composite",
      {
        $0.entities[0].attributes[1] = Attribute(
          name: "cost",
          type: .composite,
          properties: [Attribute(name: "sum", type: .int64)],
          isOptional: true
        )
        $0.entities[0].indexes = []
      }
    ),
    (
      "Trip.home.zip is of type int64, not composite",
      {
        $0.entities[0].attributes[2].properties[1] = Attribute(
          name: "zip",
          type: .composite,
          properties: [Attribute(name: "code", type: .int64, isOptional: true)]
        )
      }
    ),
    (
      "Trip.home is an attribute, not a relationship",
      {
        $0.entities[0].attributes.remove(at: 2)
        $0.entities[0].relationships.append(
          Relationship(name: "home", destination: "Country", isOptional: true)
        )
      }
    ),
    (
      "Trip.country is a relationship, not an attribute",
      {
        $0.entities[0].relationships = []
        $0.entities[1].relationships = []
        $0.entities[0].attributes.append(
          Attribute(name: "country", type: .string, isOptional: true)
        )
      }
    ),
    (
      "Trip.cost is of type int16, not int8",
      { $0.entities[0].attributes[1].width = .int8 }
    ),
    (
      "Trip.cost is required, but was optional and has no default",
      { $0.entities[0].attributes[1].isOptional = false }
    ),
    (
      "attribute Trip.days is new, but neither optional nor with a default",
      { $0.entities[0].attributes.append(Attribute(name: "days", type: .int64)) }
    ),
    (
      "attribute Trip.home.street is new, but neither optional nor with a default",
      {
        $0.entities[0].attributes[2].properties.append(Attribute(name: "street", type: .string))
        $0.entities[0].attributes[2].isOptional = true
      }
    ),
    (
      "relationship Trip.next is new, but must lead to something",
      {
        $0.entities[0].relationships.append(
          Relationship(name: "next", destination: "Trip", isOptional: false)
        )
      }
    ),
    (
      "Trip.country leads to Country, not to Trip",
      {
        $0.entities[0].relationships[0].destination = "Trip"
        $0.entities[0].relationships[0].inverse = nil
        $0.entities[1].relationships = []
      }
    ),
  ]

  @Test(arguments: 0..<problems.count)
  func `what only a program can do is a problem`(index: Int) {
    let (words, change) = Self.problems[index]
    #expect(plan(change).problems == [words])
  }

  @Test func `rows that exist get the default, or nothing in a new optional composite`() {
    let plan = plan {
      $0.entities[0].attributes.append(
        Attribute(
          name: "seat",
          type: .composite,
          properties: [Attribute(name: "row", type: .int64)],
          isOptional: true
        )
      )
      $0.entities[0].attributes[2].isOptional = true
      $0.entities[0].attributes.append(
        Attribute(name: "days", type: .int64, defaultValue: .int64(7))
      )
    }
    #expect(plan.problems.isEmpty)
    var fills: [String: Value] = [:]
    for case .addedAttribute(let field, _, let fill) in plan.steps { fills[field.path] = fill }
    #expect(
      fills == ["home": .bool(true), "seat": .bool(false), "seat.row": .null, "days": .int64(7)]
    )
  }

  @Test func `an attribute can move up from one subentity and be new in another`() {
    var old = Self.old
    old.entities[0].isAbstract = true
    old.entities.append(
      Entity(name: "Flight", parent: "Trip", attributes: [Attribute(name: "seat", type: .string)])
    )
    old.entities.append(Entity(name: "Walk", parent: "Trip", attributes: []))
    func pullUp(_ seat: Attribute) -> MigrationPlan {
      Self.plan(from: old) {
        $0.entities[2].attributes = []
        $0.entities[0].attributes.append(seat)
      }
    }
    let optional = pullUp(Attribute(name: "seat", type: .string, isOptional: true))
    #expect(
      steps(optional) == [
        "moved attribute seat from Flight to Trip", "added attribute Trip.seat",
        "made Flight.seat optional",
      ]
    )
    #expect(
      pullUp(Attribute(name: "seat", type: .string)).problems == [
        "attribute Trip.seat is new, but neither optional nor with a default"
      ]
    )
    old.entities.removeLast()
    #expect(pullUp(Attribute(name: "seat", type: .string)).problems.isEmpty)
  }

  @Test func `what is inherited is told once`() {
    var old = Self.old
    old.entities.append(Entity(name: "Flight", parent: "Trip", attributes: []))
    let plan = Self.plan(from: old) {
      $0.entities[0].attributes[0].isUnique = true
      $0.entities[0].attributes.append(Attribute(name: "days", type: .int64, isOptional: true))
      $0.entities[0].attributes.remove(at: 1)
      $0.entities[0].indexes = []
    }
    #expect(
      steps(plan) == [
        "removed index of Trip.(name, cost)", "removed attribute Trip.cost",
        "added attribute Trip.days", "made Trip.name unique",
      ]
    )
  }

  @Test func `an original name that is kept in later versions is no new rename`() {
    var old = Self.old
    old.entities[0].attributes[1].name = "price"
    old.entities[0].attributes[1].originalName = "cost"
    old.entities[0].indexes = []
    let plan = Self.plan(from: old) {
      $0.entities[0].attributes.append(Attribute(name: "cost", type: .bool, isOptional: true))
    }
    #expect(steps(plan) == ["added attribute Trip.cost"])
    let later = Self.plan(from: plan.new) { $0.entities[0].attributes[0].isUnique = true }
    #expect(steps(later) == ["made Trip.name unique"])
  }

  @Test func `names can be exchanged`() {
    var old = Self.old
    old.entities[0].attributes[1] = Attribute(name: "cost", type: .string)
    let plan = Self.plan(from: old) {
      $0.entities[0].attributes[0].originalName = "cost"
      $0.entities[0].attributes[1].originalName = "name"
    }
    #expect(
      steps(plan) == [
        "removed index of Trip.(name, cost)", "renamed attribute Trip.cost to name",
        "renamed attribute Trip.name to cost", "added index of Trip.(name, cost)",
      ]
    )
  }

  @Test func `what goes is first, then names, what is new, values, and indexes`() {
    let plan = plan {
      $0.entities[1] = Entity(name: "Land", attributes: [Attribute(name: "a", type: .bool)])
      $0.entities[0].relationships = []
      $0.entities[0].name = "Journey"
      $0.entities[0].originalName = "Trip"
      $0.entities[0].attributes[0].isUnique = true
      $0.entities[0].attributes[1].width = nil
    }
    #expect(
      steps(plan) == [
        "removed entity Country", "renamed entity Trip to Journey", "added entity Land",
        "removed relationship Journey.country",
        "changed type of Journey.cost from int16 to int64", "made Journey.name unique",
      ]
    )
  }

  @Test func `an older schema is known by names that have become others`() {
    var new = Self.old
    new.entities[0].attributes[0] = Attribute(name: "title", type: .string, originalName: "name")
    new.entities[0].attributes[2].properties[1].name = "code"
    new.entities[0].attributes[2].properties[1].originalName = "Zip"
    new.entities[0].relationships[0].name = "land"
    new.entities[0].relationships[0].originalName = "country"
    new.entities.append(
      Entity(name: "Town", attributes: [Attribute(name: "a", type: .string)], originalName: "City")
    )
    var old = Self.old
    old.entities.append(Entity(name: "City", attributes: [Attribute(name: "a", type: .string)]))
    #expect(
      SchemaInference(from: new, to: old).outdatedNames == [
        "entity City is called Town", "Trip.name is called title", "Trip.country is called land",
        "Trip.home.zip is called code",
      ]
    )
    // The newer one has all that it had.
    #expect(SchemaInference(from: old, to: new).outdatedNames.isEmpty)
    #expect(SchemaInference(from: new, to: new).outdatedNames.isEmpty)
  }

  @Test(arguments: seeds(500))
  func `a schema takes no steps to itself and those to another can be told`(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let (left, right) = (generator.schema(), generator.schema())
    #expect(MigrationPlan.infer(from: left, to: left).steps.isEmpty)
    let comparison = SchemaComparison(from: left, to: left)
    #expect(comparison.changes.isEmpty && comparison.differences.isEmpty)
    #expect(comparison.result.json == left.json)
    let plan = MigrationPlan.infer(from: left, to: right)
    // Every entity of either schema that the other lacks has its step.
    for entity in right.entities where left[entity.name] == nil {
      #expect(plan.steps.contains(.addedEntity(entity)))
    }
    for entity in left.entities where right[entity.name] == nil {
      #expect(plan.steps.contains(.removedEntity(entity)))
    }
    // The steps account for the columns of each entity that stays.
    for entity in right.entities {
      guard let before = left[entity.name] else { continue }
      var paths = Set(left.fields(of: before).filter { $0.relationship == nil }.map(\.path))
      let family = Set(right.lineage(of: entity).map(\.name))
      for case .removedAttribute(let field, let name) in plan.steps where family.contains(name) {
        paths.remove(field.path)
      }
      for case .addedAttribute(let field, let name, _) in plan.steps where family.contains(name) {
        paths.insert(field.path)
      }
      let wanted = right.fields(of: entity).filter { $0.relationship == nil }.map(\.path)
      #expect(paths == Set(wanted))
    }
  }
}
