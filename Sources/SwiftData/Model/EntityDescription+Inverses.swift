internal import Synchronization

/// The other end of a relationship.
struct InverseEnd {
  let description: EntityDescription
  let property: PropertyDescription
}

/// The inverses of an entity's relationships, by slot.
// because it is immutable once it is made
final class InverseTable: @unchecked Sendable {
  let ends: [InverseEnd?]

  init(_ ends: [InverseEnd?]) { self.ends = ends }
}

extension EntityDescription {
  /// Returns the other end of a relationship; `nil` if it has none.
  ///
  /// It is what either side names. If neither does, and each class has just one relationship to the
  /// other that nobody names, these two belong together.
  func inverse(ofSlot slot: Int) -> InverseEnd? {
    if let table = inverses.load() { return table.ends[slot] }
    return inverses.storeIfNil(InverseTable(properties.map(findInverse))).ends[slot]
  }

  /// The class that declares a property.
  func owner(of property: PropertyDescription) -> EntityDescription {
    if let parent, property.slot < parent.properties.count { return parent.owner(of: property) }
    return self
  }

  private func findInverse(_ property: PropertyDescription) -> InverseEnd? {
    guard let type = property.destination else { return nil }
    let source = owner(of: property)
    let target = EntityDescription.of(type)
    if let keyPath = property.relationship?.inverseKeyPath {
      guard let end = target.property(keyPath), end.destination != nil else { return nil }
      return InverseEnd(description: target, property: end)
    }
    if let end = target.properties.first(where: { $0.names(property, of: source) }) {
      return InverseEnd(description: target, property: end)
    }
    guard source !== target else { return nil }
    let there = target.unnamedRelationships(to: source)
    let here = source.unnamedRelationships(to: target)
    guard here.count == 1, there.count == 1, let end = there.first else { return nil }
    return InverseEnd(description: target, property: end)
  }

  /// The relationships that the class itself declares and whose inverse nobody names.
  private func unnamedRelationships(to target: EntityDescription) -> [PropertyDescription] {
    ownProperties.filter { property in
      property.destination == target.type && property.relationship?.inverseKeyPath == nil
        && !target.properties.contains { $0.names(property, of: self) }
    }
  }
}

extension PropertyDescription {
  /// Whether the property says that `other`, which `owner` declares, is its inverse.
  fileprivate func names(_ other: PropertyDescription, of owner: EntityDescription) -> Bool {
    guard destination == owner.type, let keyPath = relationship?.inverseKeyPath else {
      return false
    }
    return owner.property(keyPath) === other
  }
}
