import DepotProtocol

extension QueryWorld {
  /// Makes a schema of two to five entities with all kinds of attributes and relationships.
  static func schema(_ generator: inout ValueGenerator) -> Schema {
    var schema = Schema()
    for index in 0..<generator.int(2...5) {
      let parent =
        generator.chance(1, in: 3) ? schema.entities.randomElement(using: &generator)?.name : nil
      var entity = Entity(name: "E\(index)", parent: parent, attributes: [])
      for number in 0..<generator.int(2...6) {
        entity.attributes.append(attribute("a\(index)_\(number)", &generator, depth: 2))
      }
      schema.entities.append(entity)
    }
    for index in schema.entities.indices {
      let hasChildren = schema.entities.contains { $0.parent == schema.entities[index].name }
      schema.entities[index].isAbstract = hasChildren && generator.chance(1, in: 3)
    }
    for number in 0..<generator.int(2...6) { relate(number, &schema, &generator) }
    return schema
  }

  private static func attribute(
    _ name: String,
    _ generator: inout ValueGenerator,
    depth: Int
  ) -> Attribute {
    var attribute = Attribute(
      name: name,
      type: generator.pick(AttributeType.scalars),
      isOptional: generator.chance(1, in: 2)
    )
    switch generator.int(0...11) {
    case 0, 1:
      attribute.collection = generator.chance(1, in: 2) ? .array : .set
    case 2 where depth > 0:
      attribute.type = .composite
      attribute.properties = (0..<generator.int(1...3)).map {
        Self.attribute("p\($0)", &generator, depth: depth - 1)
      }
    case 3:
      attribute.type = .json
    case 4:
      let width = generator.pick(NumberWidth.allCases)
      attribute.width = width
      attribute.type = width.type
    case 5 where depth == 2:
      attribute.options = .ephemeral
      attribute.isOptional = true
      attribute.defaultValue = generator.value(attribute.type)
    default:
      attribute.isIndexed = generator.chance(1, in: 2)
    }
    return attribute
  }

  private static func relate(
    _ number: Int,
    _ schema: inout Schema,
    _ generator: inout ValueGenerator
  ) {
    let left = generator.int(0...schema.entities.count - 1)
    let right = generator.int(0...schema.entities.count - 1)
    let names = (schema.entities[left].name, schema.entities[right].name)
    var forward = Relationship(name: "r\(number)", destination: names.1)
    var back = Relationship(name: "s\(number)", destination: names.0, inverse: forward.name)
    forward.inverse = back.name
    forward.isOrdered = generator.chance(1, in: 2)
    back.isOrdered = generator.chance(1, in: 2)
    switch generator.int(0...8) {
    case 0, 1: forward.isToMany = true
    case 2, 3: (forward.isToMany, back.isToMany) = (true, true)
    case 4: break
    case 5:
      forward.inverse = nil
    case 6:
      forward.inverse = nil
      forward.isToMany = true
    case 7:
      forward.destination = names.0
      forward.inverse = forward.name
    default:
      forward.destination = names.0
      forward.inverse = forward.name
      forward.isToMany = true
    }
    forward.isOrdered = forward.isOrdered && forward.isToMany
    back.isOrdered = back.isOrdered && back.isToMany
    schema.entities[left].relationships.append(forward)
    if forward.inverse == back.name { schema.entities[right].relationships.append(back) }
  }
}
