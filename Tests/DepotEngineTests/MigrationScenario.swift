import DepotProtocol
import Foundation
import TestSupport

@testable import DepotEngine

/// A random schema, and random changes of it together with what they mean for the rows.
struct MigrationScenario {
  private(set) var schema: Schema
  var model: MigrationModel
  private var random: SeededGenerator
  private var number = 0
  private(set) var log: [String] = []
  /// The properties that a change was about, which has no second one in the same version.
  private var touched: Set<String> = []
  private var exchanged: Set<String> = []

  static func schema(_ random: inout SeededGenerator) -> Schema {
    func attributes(_ prefix: String, _ random: inout SeededGenerator) -> [Attribute] {
      var list = (0..<Int.random(in: 2...5, using: &random)).map { index in
        attribute("\(prefix)\(index)", &random)
      }
      if random.once(in: 2) {
        list.append(
          Attribute(
            name: "\(prefix)c",
            type: .composite,
            properties: [
              Attribute(name: "x", type: .int64), attribute("y", &random),
            ],
            isOptional: random.once(in: 2)
          )
        )
      }
      return list
    }
    var entities = [
      Entity(name: "A", attributes: attributes("a", &random)),
      Entity(name: "B", attributes: attributes("b", &random)),
      Entity(name: "Sub", parent: "B", attributes: attributes("s", &random)),
      Entity(name: "Other", parent: "B", attributes: attributes("o", &random)),
    ]
    let isToMany = (random.once(in: 2), random.once(in: 2))
    entities[0].relationships = [
      Relationship(
        name: "bs",
        destination: "B",
        inverse: "as",
        isToMany: isToMany.0,
        isOrdered: isToMany.0 && random.once(in: 2)
      ),
      Relationship(name: "next", destination: "A", isToMany: random.once(in: 2)),
    ]
    entities[1].relationships = [
      Relationship(
        name: "as",
        destination: "A",
        inverse: "bs",
        isToMany: isToMany.1,
        isOrdered: isToMany.1 && random.once(in: 2)
      )
    ]
    if random.once(in: 2) {
      entities[0].relationships.append(
        Relationship(name: "friends", destination: "A", inverse: "friends", isToMany: true)
      )
    }
    entities[2].relationships = [Relationship(name: "a", destination: "A")]
    return Schema(version: SchemaVersion(1, 0, 0), entities: entities)
  }

  private static func attribute(_ name: String, _ random: inout SeededGenerator) -> Attribute {
    let type = random.pick(AttributeType.scalars)
    var attribute = Attribute(name: name, type: type, isOptional: random.once(in: 2))
    switch type {
    case .int64 where random.once(in: 2): attribute.width = random.pick([.int8, .uint16, .int32])
    case .double where random.once(in: 3): attribute.width = .float
    case .decimal where random.once(in: 3): attribute.width = .uint64
    default: break
    }
    if random.once(in: 6) { attribute.collection = random.pick([.array, .set]) }
    attribute.isIndexed = attribute.collection == nil && random.once(in: 4)
    return attribute
  }

  init(_ schema: Schema, _ model: MigrationModel, _ random: SeededGenerator) {
    self.schema = schema
    self.model = model
    self.random = random
  }

  /// Makes the next version: several changes of different properties.
  mutating func advance() {
    schema.version?.major += 1
    for index in schema.entities.indices { schema.entities[index].forgetNames() }
    touched = []
    log = []
    for _ in 0..<Int.random(in: 1...6, using: &random) { change() }
  }

  private mutating func change() {
    let index = Int.random(in: 0..<schema.entities.count, using: &random)
    switch Int.random(in: 0..<11, using: &random) {
    case 0: renameEntity(index)
    case 1: renameAttribute(index)
    case 2: addAttribute(index)
    case 3: removeAttribute(index)
    case 4: widen(index)
    case 5: changeOptionality(index)
    case 6: exchangeNames(index)
    case 7: toggleIndex(index)
    case 8: changeCardinality()
    case 9: changeOrder()
    default: moveToParent()
    }
  }

  private mutating func freshName(_ prefix: String) -> String {
    number += 1
    return "\(prefix)\(schema.version?.major ?? 0)n\(number)"
  }

  private mutating func renameEntity(_ index: Int) {
    let old = schema.entities[index].name
    guard touched.insert(old).inserted else { return }
    let new = freshName("E")
    log.append("rename \(old) to \(new)")
    schema.entities[index].name = new
    schema.entities[index].originalName = old
    for other in schema.entities.indices {
      if schema.entities[other].parent == old { schema.entities[other].parent = new }
      for link in schema.entities[other].relationships.indices
      where schema.entities[other].relationships[link].destination == old {
        schema.entities[other].relationships[link].destination = new
      }
    }
    touched.insert(new)
    if let rows = model.tables.removeValue(forKey: old) { model.tables[new] = rows }
    for root in model.tables.keys {
      for (identifier, row) in model.tables[root] ?? [:] where row.entity == old {
        model.tables[root]?[identifier]?.entity = new
      }
    }
  }

  /// Picks an attribute that isn't a composite and wasn't touched.
  private mutating func attribute(_ entity: Int) -> Int? {
    let name = schema.entities[entity].name
    let free = schema.entities[entity].attributes.indices.filter {
      let attribute = schema.entities[entity].attributes[$0]
      return attribute.type != .composite && !touched.contains("\(name).\(attribute.name)")
    }
    guard !free.isEmpty else { return nil }
    let index = random.pick(Array(free))
    return index
  }

  private mutating func touch(_ entity: Int, _ name: String) {
    touched.insert("\(schema.entities[entity].name).\(name)")
  }

  private mutating func renameAttribute(_ entity: Int) {
    guard let index = attribute(entity) else { return }
    let old = schema.entities[entity].attributes[index].name
    let new = freshName("n")
    log.append("rename \(schema.entities[entity].name).\(old) to \(new)")
    schema.entities[entity].attributes[index].name = new
    schema.entities[entity].attributes[index].originalName = old
    touch(entity, new)
    model.update(schema.entities[entity].name, in: schema) { row in
      row.values[new] = row.values.removeValue(forKey: old)
    }
  }

  private mutating func addAttribute(_ entity: Int) {
    var added = Self.attribute(freshName("x"), &random)
    var value = Value.null
    if random.once(in: 2) || !added.isOptional {
      added.type = .string
      added.width = nil
      added.collection = nil
      value = .string("new")
      added.defaultValue = value
    }
    log.append("add \(schema.entities[entity].name).\(added.name)")
    schema.entities[entity].attributes.append(added)
    touch(entity, added.name)
    model.update(schema.entities[entity].name, in: schema) { $0.values[added.name] = value }
  }

  private mutating func removeAttribute(_ entity: Int) {
    guard let index = attribute(entity) else { return }
    let name = schema.entities[entity].attributes.remove(at: index).name
    log.append("remove \(schema.entities[entity].name).\(name)")
    touch(entity, name)
    model.update(schema.entities[entity].name, in: schema) { $0.values[name] = nil }
  }

  private mutating func widen(_ entity: Int) {
    guard let index = attribute(entity) else { return }
    let old = schema.entities[entity].attributes[index]
    var new = old
    switch (old.type, old.collection) {
    case (.int64, nil) where random.once(in: 2): (new.type, new.width) = (.decimal, nil)
    case (.double, _) where old.width == .float: new.width = nil
    case (_, nil) where random.once(in: 3): new.collection = random.pick([.array, .set])
    case (.data, _): return
    case (_, .array): new.collection = .set
    default: (new.type, new.width) = (.string, nil)
    }
    guard new != old else { return }
    log.append("\(schema.entities[entity].name).\(old.name): \(old.type) to \(new.type)")
    new.isIndexed = old.isIndexed && new.collection == nil
    new.defaultValue = nil
    schema.entities[entity].attributes[index] = new
    touch(entity, old.name)
    model.update(schema.entities[entity].name, in: schema) { row in
      row.values[old.name] = row.values[old.name].map { Self.convert($0, to: new) }
    }
  }

  /// What becomes of a value in another type, told independently of the store.
  private static func convert(_ value: Value, to new: Attribute) -> Value {
    if value.isNull { return .null }
    var elements = [value]
    if case .list(let list) = value { elements = list }
    elements = elements.map { element in
      switch (element, new.type) {
      case (.int64(let number), .decimal): .decimal(Decimal(number))
      case (.int64(let number), .string): .string("\(number)")
      case (.bool(let flag), .string): .string(flag ? "true" : "false")
      case (.uuid(let uuid), .string): .string(uuid.uuidString.lowercased())
      case (.decimal(let number), .string): .string(number.description)
      case (.url(let url), .string): .string(url.absoluteString)
      case (.double(let number), .string):
        .string(number == number.rounded() ? "\(Int(number))" : "\(number)")
      case (.date(let date), .string):
        .string(
          Date.ISO8601FormatStyle(includingFractionalSeconds: false).format(date)
        )
      default: element
      }
    }
    guard let collection = new.collection else { return elements[0] }
    if collection == .array { return .list(elements) }
    let arena = CellArena()
    return withExtendedLifetime(arena) {
      let text = arena.copy(CollectionText.write(elements, isSet: true))
      return StoredValue.decode(.text(text), of: new) ?? .null
    }
  }

  private mutating func changeOptionality(_ entity: Int) {
    guard let index = attribute(entity) else { return }
    let name = schema.entities[entity].attributes[index].name
    log.append("optionality of \(schema.entities[entity].name).\(name)")
    touch(entity, name)
    if !schema.entities[entity].attributes[index].isOptional {
      schema.entities[entity].attributes[index].isOptional = true
      return
    }
    guard schema.entities[entity].attributes[index].type == .int64,
      schema.entities[entity].attributes[index].collection == nil
    else { return }
    schema.entities[entity].attributes[index].isOptional = false
    schema.entities[entity].attributes[index].defaultValue = .int64(7)
    model.update(schema.entities[entity].name, in: schema) { row in
      if row.values[name]?.isNull == true { row.values[name] = .int64(7) }
    }
  }

  private mutating func exchangeNames(_ entity: Int) {
    guard let first = attribute(entity), let second = attribute(entity), first != second else {
      return
    }
    let (left, right) = (
      schema.entities[entity].attributes[first].name,
      schema.entities[entity].attributes[second].name
    )
    // Names that are exchanged back look like names that stayed, and the name that an attribute got in this
    // version is no original one.
    guard exchanged.isDisjoint(with: [left, right]),
      schema.entities[entity].attributes[first].originalName == nil,
      schema.entities[entity].attributes[second].originalName == nil
    else { return }
    exchanged.formUnion([left, right])
    log.append("exchange \(schema.entities[entity].name).\(left) and \(right)")
    schema.entities[entity].attributes[first].name = right
    schema.entities[entity].attributes[first].originalName = left
    schema.entities[entity].attributes[second].name = left
    schema.entities[entity].attributes[second].originalName = right
    touch(entity, left)
    touch(entity, right)
    model.update(schema.entities[entity].name, in: schema) { row in
      (row.values[left], row.values[right]) = (row.values[right], row.values[left])
    }
  }

  private mutating func toggleIndex(_ entity: Int) {
    guard let index = attribute(entity),
      schema.entities[entity].attributes[index].collection == nil
    else { return }
    schema.entities[entity].attributes[index].isIndexed.toggle()
  }

  /// Makes a to-one relationship to-many.
  private mutating func changeCardinality() {
    for entity in schema.entities.indices {
      for index in schema.entities[entity].relationships.indices {
        let link = schema.entities[entity].relationships[index]
        guard !link.isToMany, random.once(in: 2) else { continue }
        log.append("\(schema.entities[entity].name).\(link.name) to-many")
        schema.entities[entity].relationships[index].isToMany = true
        return
      }
    }
  }

  /// Takes the order away from a relationship, or gives it one, which is that of identifiers.
  private mutating func changeOrder() {
    for entity in schema.entities.indices {
      for index in schema.entities[entity].relationships.indices {
        let link = schema.entities[entity].relationships[index]
        guard link.isToMany, link.inverse != link.name, random.once(in: 2) else { continue }
        // An order that is taken away and given again in one version is as it was.
        guard touched.insert(link.name + " order").inserted else { return }
        log.append("\(schema.entities[entity].name).\(link.name) order")
        schema.entities[entity].relationships[index].isOrdered.toggle()
        model.update(schema.entities[entity].name, in: schema) { $0.links[link.name]?.sort() }
        return
      }
    }
  }

  /// Moves an optional attribute of a subentity to its parent.
  private mutating func moveToParent() {
    let subentities = schema.entities.indices.filter { schema.entities[$0].parent != nil }
    let entity = random.pick(Array(subentities))
    guard let index = attribute(entity), let parent = schema.entities[entity].parent,
      schema.entities[entity].attributes[index].isOptional,
      let target = schema.entities.firstIndex(where: { $0.name == parent })
    else { return }
    let moved = schema.entities[entity].attributes.remove(at: index)
    log.append("move \(schema.entities[entity].name).\(moved.name) to \(parent)")
    schema.entities[target].attributes.append(moved)
    touch(target, moved.name)
    model.update(parent, in: schema) { row in
      row.values[moved.name] = row.values[moved.name] ?? moved.defaultValue ?? .null
    }
  }
}

extension Entity {
  fileprivate mutating func forgetNames() {
    originalName = nil
    for index in attributes.indices { attributes[index].originalName = nil }
    for index in relationships.indices { relationships[index].originalName = nil }
  }
}

extension SeededGenerator {
  /// Returns whether something that happens once in `count` times happens.
  mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  /// Returns one of `choices`, which aren't empty.
  mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[Int.random(in: 0..<choices.count, using: &self)]
  }
}
