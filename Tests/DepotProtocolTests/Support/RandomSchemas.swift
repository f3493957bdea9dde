import DepotProtocol
import FoundationEssentials
import TestSupport

extension SeededGenerator {
  /// Returns a valid schema with a few entities, some of them in hierarchies.
  mutating func schema() -> Schema {
    let names = ["Trip", "Country", "Person", "Label", "Item"].filter { _ in !once(in: 4) }
    var entities = names.map { Entity(name: $0, attributes: []) }
    for index in entities.indices {
      // Names differ between entities, so that none is declared again by a descendant.
      let prefix = names[index].prefix(1).lowercased()
      entities[index].attributes = (0...Int.random(in: 0..<4, using: &self)).map { number in
        attribute("\(prefix)\(number)", depth: 0)
      }
      if index > 0, once(in: 3) { entities[index].parent = names[index - 1] }
      entities[index].isAbstract = once(in: 5)
      entities[index].hashModifier = once(in: 5) ? string() : nil
      if once(in: 6) { entities[index].originalName = "Old\(index)" }
    }
    addRelationships(to: &entities)
    let schema = Schema(
      version: once(in: 2) ? SchemaVersion(1, Int.random(in: 0...9, using: &self), 0) : nil,
      entities: entities
    )
    return addingIndexes(to: schema)
  }

  private mutating func addRelationships(to entities: inout [Entity]) {
    guard !entities.isEmpty else { return }
    for number in 0..<Int.random(in: 0..<4, using: &self) {
      let (left, right) = (pick(Array(entities.indices)), pick(Array(entities.indices)))
      var near = relationship("r\(number)", to: entities[right].name)
      if once(in: 2) {
        var far = relationship("s\(number)", to: entities[left].name)
        near.inverse = far.name
        far.inverse = near.name
        entities[right].relationships.append(far)
      }
      entities[left].relationships.append(near)
    }
  }

  private mutating func relationship(_ name: String, to destination: String) -> Relationship {
    var result = Relationship(
      name: name,
      destination: destination,
      isToMany: once(in: 2),
      deleteRule: pick(Relationship.DeleteRule.allCases)
    )
    if result.isToMany {
      result.isOrdered = once(in: 2)
      result.minCount = pick([0, 1])
      result.maxCount = pick([0, 7])
    } else {
      result.isOptional = once(in: 2)
    }
    result.originalName = once(in: 5) ? "old_\(name)" : nil
    return result
  }

  private mutating func addingIndexes(to schema: Schema) -> Schema {
    var result = schema
    for (index, entity) in schema.entities.enumerated() {
      let usable = schema.fields(of: entity).filter { field in
        field.attribute.type.isScalar && !field.isPresence && field.relationship == nil
          && field.attribute.collection == nil && field.attribute.options.isEmpty
          && field.attribute.derivation == nil
      }
      let paths = usable.map(\.path)
      if paths.count > 1 {
        result.entities[index].indexes = [[paths[0], paths[1]], [paths[1]]]
        if once(in: 2) { result.entities[index].uniques = [[paths[1], paths[0]]] }
      }
      let numbers = usable.filter {
        [.int64, .double, .date, .decimal].contains($0.attribute.type)
      }
      if !numbers.isEmpty {
        result.entities[index].rangeIndexes = [Array(numbers.map(\.path).prefix(5))]
      }
    }
    return result
  }

  private mutating func attribute(_ name: String, depth: Int) -> Attribute {
    var result = Attribute(name: name, type: .string, isOptional: once(in: 2))
    if once(in: 8) { result.originalName = "old_\(name)" }
    if once(in: 8) { result.hashModifier = string() }
    switch Int.random(in: 0..<8, using: &self) {
    case 0 where depth < 3:
      result.type = .composite
      result.properties = (0...Int.random(in: 0..<2, using: &self)).map {
        attribute("p\($0)", depth: depth + 1)
      }
    case 1:
      result.type = .json
      if once(in: 2) { result.defaultValue = .json(#"{"b":[1.50,"a b\""],"a":null}"#) }
    case 2:
      result.type = pick(AttributeType.scalars)
      result.collection = pick(Attribute.CollectionKind.allCases)
      let type = result.type
      if once(in: 2) {
        result.defaultValue = .list(
          (0..<Int.random(in: 0..<3, using: &self)).map { _ in value(type) }
        )
      }
    case 3: bound(&result)
    case 4: decorate(&result, depth)
    default:
      result.type = pick(AttributeType.scalars)
      result.isUnique = once(in: 4)
      result.isIndexed = once(in: 4)
      if once(in: 2) { result.defaultValue = value(result.type) }
    }
    if result.isOptional, result.defaultValue == nil, result.type != .composite,
      result.derivation == nil, once(in: 4)
    {
      result.defaultValue = .null
    }
    return result
  }

  /// Makes an attribute a number within bounds or one of a few words.
  private mutating func bound(_ attribute: inout Attribute) {
    switch Int.random(in: 0..<3, using: &self) {
    case 0:
      attribute.width = pick(NumberWidth.allCases)
      attribute.type = attribute.width?.type ?? .int64
      attribute.defaultValue =
        switch attribute.type {
        case .int64: .int64(1)
        case .decimal: .decimal(1)
        default: .double(1)
        }
      attribute.validation.minimum = attribute.defaultValue
    case 1:
      attribute.validation = .init(minLength: 1, maxLength: 3, pattern: "[a-z]+")
      attribute.defaultValue = .string("abc")
    default:
      attribute.validation = .init(cases: [.string(""), .string("high")])
    }
  }

  /// Gives a text one of the options, or a derivation.
  private mutating func decorate(_ attribute: inout Attribute, _ depth: Int) {
    switch Int.random(in: 0..<6, using: &self) {
    case 0: attribute.options = [.externalStorage, .preserveValueOnDeletion]
    case 1: attribute.options = .spotlight
    case 2:
      attribute.options = .transient
      attribute.isOptional = true
    case 3:
      attribute.options = .ephemeral
      attribute.defaultValue = .string(string())
    default:
      if depth == 0 { attribute.derivation = "uppercase(name)" }
    }
  }

  private mutating func value(_ type: AttributeType) -> Value {
    while true {
      let value = value()
      if value.type == type { return value }
    }
  }
}
