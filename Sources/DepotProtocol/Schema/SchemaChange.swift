/// One step from a schema to another that needs no migration.
package enum SchemaChange: Hashable, Sendable {
  case addedEntity(Entity)
  case addedAttribute(Attribute, entity: String)
  /// An index of one attribute.
  case indexedAttribute(String, entity: String)
  case addedIndex([String], entity: String)
  case changedDefault(Attribute, entity: String)
}

extension SchemaChange: CustomStringConvertible {
  package var description: String {
    switch self {
    case .addedEntity(let entity): "added entity \(entity.name)"
    case .addedAttribute(let attribute, let entity): "added attribute \(entity).\(attribute.name)"
    case .indexedAttribute(let name, let entity): "added index of \(entity).\(name)"
    case .addedIndex(let names, let entity):
      "added index of \(entity).(\(names.joined(separator: ", ")))"
    case .changedDefault(let attribute, let entity):
      "changed default of \(entity).\(attribute.name)"
    }
  }
}

/// What separates a store's schema from the one that a client wants.
package struct SchemaComparison: Hashable, Sendable {
  /// The steps that can be taken.
  package private(set) var changes: [SchemaChange] = []
  /// What can't be done without a migration, in words.
  package private(set) var differences: [String] = []
  /// The schema after the changes.
  ///
  /// What exists keeps its order and what is new comes after it.
  package private(set) var result: Schema

  /// Compares the schema of a store with the one that is wanted.
  package init(from old: Schema, to new: Schema) {
    result = old
    for entity in new.entities {
      guard let index = old.entities.firstIndex(where: { $0.name == entity.name }) else {
        result.entities.append(entity)
        changes.append(.addedEntity(entity))
        continue
      }
      compare(old.entities[index], entity, at: index)
    }
    for entity in old.entities where new[entity.name] == nil {
      differences.append("entity \(entity.name) is missing")
    }
  }

  private mutating func compare(_ old: Entity, _ new: Entity, at index: Int) {
    for attribute in new.attributes {
      guard let position = old.attributes.firstIndex(where: { $0.name == attribute.name }) else {
        add(attribute, to: old.name, at: index)
        continue
      }
      compare(old.attributes[position], attribute, at: (index, position))
    }
    for attribute in old.attributes where new[attribute.name] == nil {
      differences.append("attribute \(old.name).\(attribute.name) is missing")
    }
    for names in new.indexes where !old.indexes.contains(names) {
      result.entities[index].indexes.append(names)
      changes.append(.addedIndex(names, entity: old.name))
    }
    for names in old.indexes where !new.indexes.contains(names) {
      differences.append("index of \(old.name).(\(names.joined(separator: ", "))) is missing")
    }
  }

  private mutating func add(_ attribute: Attribute, to entity: String, at index: Int) {
    guard attribute.isOptional || attribute.defaultValue != nil else {
      return differences.append(
        "attribute \(entity).\(attribute.name) is new, but neither optional nor with a default"
      )
    }
    result.entities[index].attributes.append(attribute)
    changes.append(.addedAttribute(attribute, entity: entity))
  }

  private mutating func compare(
    _ old: Attribute,
    _ new: Attribute,
    at place: (entity: Int, attribute: Int)
  ) {
    let entity = result.entities[place.entity].name
    let name = "\(entity).\(old.name)"
    if old.type != new.type {
      return differences.append("\(name) is of type \(old.type.rawValue), not \(new.type.rawValue)")
    }
    if old.isOptional != new.isOptional {
      differences.append("\(name) is \(old.isOptional ? "" : "not ")optional")
    }
    if old.isUnique != new.isUnique {
      differences.append("\(name) is \(old.isUnique ? "" : "not ")unique")
    }
    if old.isIndexed, !new.isIndexed {
      differences.append("\(name) is indexed")
    } else if new.isIndexed, !old.isIndexed {
      result.entities[place.entity].attributes[place.attribute].isIndexed = true
      changes.append(.indexedAttribute(old.name, entity: entity))
    }
    guard !isSame(old.defaultValue, new.defaultValue) else { return }
    guard let value = new.defaultValue else {
      return differences.append("\(name) has a default")
    }
    result.entities[place.entity].attributes[place.attribute].defaultValue = value
    changes.append(.changedDefault(new, entity: entity))
  }

  private func isSame(_ left: Value?, _ right: Value?) -> Bool {
    guard let left, let right else { return left == right }
    return left.isIdentical(to: right)
  }
}
