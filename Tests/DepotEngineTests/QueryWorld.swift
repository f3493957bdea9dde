import DepotProtocol
import Foundation

/// An object in memory, the like of which is also stored.
final class WorldObject: EvaluationRow {
  let entityName: String
  let identifier: Int64
  let version: Int64
  var values: [String: Value] = [:]
  var toOne: [String: WorldObject] = [:]
  var toMany: [String: [WorldObject]] = [:]
  /// The place among the rows of the ordered relationship that is the inverse of the one named.
  var orders: [String: Int64] = [:]

  init(_ entityName: String, _ identifier: Int64, version: Int64) {
    self.entityName = entityName
    self.identifier = identifier
    self.version = version
  }

  func value(at path: String) -> Value { values[path] ?? .null }
  func object(_ relationship: String) -> (any EvaluationRow)? { toOne[relationship] }
  func objects(_ relationship: String) -> [any EvaluationRow] { toMany[relationship] ?? [] }
}

/// A random schema with random objects, the same for the same seed.
struct QueryWorld {
  let schema: Schema
  private(set) var objects: [WorldObject] = []

  init(using generator: inout ValueGenerator) {
    schema = Self.schema(&generator)
    populate(&generator)
  }

  /// The objects of an entity and of those that descend from it, by their identifiers.
  func objects(of entity: String) -> [WorldObject] {
    let names = [entity] + schema.descendants(of: entity).map(\.name)
    return objects.filter { names.contains($0.entityName) }
      .sorted { $0.identifier < $1.identifier }
  }

  private mutating func populate(_ generator: inout ValueGenerator) {
    var identifiers: [String: [Int64]] = [:]
    for entity in schema.entities where !entity.isAbstract {
      let root = schema.lineage(of: entity)[0].name
      for _ in 0..<generator.int(2...6) {
        if identifiers[root] == nil {
          identifiers[root] = Array(1...40).shuffled(using: &generator)
        }
        guard let identifier = identifiers[root]?.popLast() else { continue }
        let version = Int64(generator.int(1...3))
        let object = WorldObject(entity.name, identifier, version: version)
        for ancestor in schema.lineage(of: entity) {
          for attribute in ancestor.attributes {
            fill(attribute, path: attribute.name, of: object, Place(), &generator)
          }
        }
        objects.append(object)
      }
    }
    for entity in schema.entities {
      for relationship in entity.relationships { link(relationship, of: entity, &generator) }
    }
  }

  /// Where an attribute is.
  private struct Place {
    /// Whether the composite value that it is in is there.
    var isThere = true
    /// Whether that may be missing.
    var isOptional = false
  }

  private func fill(
    _ attribute: Attribute,
    path: String,
    of object: WorldObject,
    _ place: Place,
    _ generator: inout ValueGenerator
  ) {
    if attribute.type == .composite {
      let isMissing = attribute.isOptional && generator.chance(1, in: 4)
      let inner = Place(
        isThere: place.isThere && !isMissing,
        isOptional: place.isOptional || attribute.isOptional
      )
      if inner.isOptional { object.values[path] = .bool(inner.isThere) }
      for part in attribute.properties {
        fill(part, path: "\(path).\(part.name)", of: object, inner, &generator)
      }
      return
    }
    guard place.isThere else { return }
    if attribute.options.contains(.ephemeral) {
      object.values[path] = attribute.defaultValue ?? .null
    } else if attribute.isOptional, generator.chance(1, in: 4) {
      object.values[path] = .null
    } else {
      object.values[path] = generator.value(of: attribute)
    }
  }

  private func link(
    _ relationship: Relationship,
    of entity: Entity,
    _ generator: inout ValueGenerator
  ) {
    let sources = objects(of: entity.name)
    let targets = objects(of: relationship.destination)
    let inverse = relationship.inverse
    let isOwnInverse = inverse == relationship.name && relationship.destination == entity.name
    let other = schema[relationship.destination]?.relationship(inverse ?? "")
    let isToMany = relationship.isToMany
    if isOwnInverse {
      pair(sources, relationship, &generator)
    } else if let inverse, let other {
      // Each pair of relationships is filled from its lesser side.
      guard (entity.name, relationship.name) < (relationship.destination, inverse) else { return }
      let place = Side(relationship.name, isToMany, sources)
      let back = Side(inverse, other.isToMany, targets)
      connect(place, back, &generator)
    } else if isToMany {
      for source in sources {
        source.toMany[relationship.name] = generator.some(of: targets)
      }
    } else {
      for source in sources where generator.chance(3, in: 4) {
        source.toOne[relationship.name] = targets.randomElement(using: &generator)
      }
    }
  }

  private struct Side {
    let name: String
    let isToMany: Bool
    let objects: [WorldObject]

    init(_ name: String, _ isToMany: Bool, _ objects: [WorldObject]) {
      self.name = name
      self.isToMany = isToMany
      self.objects = objects
    }

    func add(_ other: WorldObject, to object: WorldObject) {
      if isToMany {
        object.toMany[name, default: []].append(other)
      } else {
        object.toOne[name] = other
      }
    }
  }

  /// Links objects of both sides so that the sides agree.
  private func connect(_ left: Side, _ right: Side, _ generator: inout ValueGenerator) {
    for object in left.objects.shuffled(using: &generator) {
      for other in right.objects.shuffled(using: &generator) where generator.chance(1, in: 3) {
        let isFree =
          (left.isToMany || object.toOne[left.name] == nil)
          && (right.isToMany || other.toOne[right.name] == nil)
        guard isFree else { continue }
        left.add(other, to: object)
        right.add(object, to: other)
      }
    }
    for (side, back) in [(left, right), (right, left)] where side.isToMany {
      for object in side.objects {
        object.toMany[side.name]?.shuffle(using: &generator)
        var place = Int64(-1)
        for other in object.toMany[side.name] ?? [] {
          place += Int64(generator.int(1...5))
          other.orders[back.name] = place
        }
      }
    }
  }

  /// Links objects of a relationship that is its own inverse.
  private func pair(
    _ objects: [WorldObject],
    _ relationship: Relationship,
    _ generator: inout ValueGenerator
  ) {
    let name = relationship.name
    for (index, object) in objects.enumerated() {
      for other in objects[index...] where generator.chance(1, in: 3) {
        if relationship.isToMany {
          object.toMany[name, default: []].append(other)
          if other !== object { other.toMany[name, default: []].append(object) }
        } else if object.toOne[name] == nil, other.toOne[name] == nil {
          object.toOne[name] = other
          other.toOne[name] = object
        }
      }
    }
  }
}
