extension PropertyDescription {
  /// The other end of a relationship; `nil` if it has none.
  ///
  /// It is named by either side. If neither side names it, and each class has just one relationship
  /// to the other without a named inverse, these two belong together.
  var inverse: PropertyDescription? {
    guard let type = destination else { return nil }
    let source = EntityDescription.of(owner)
    let target = EntityDescription.of(type)
    if let keyPath = relationship?.inverseKeyPath {
      guard let end = target.property(keyPath), end.destination != nil else { return nil }
      return end
    }
    if let end = target.properties.first(where: { $0.names(self, of: source) }) { return end }
    guard source !== target else { return nil }
    let there = target.unnamedRelationships(to: source)
    let here = source.unnamedRelationships(to: target)
    return here.count == 1 && there.count == 1 ? there[0] : nil
  }

  /// The other end of a relationship whose inverse is known.
  private var otherEnd: PropertyDescription? {
    guard let destination, let inverse = shape.inverse else { return nil }
    return EntityDescription.of(destination).properties[inverse.slot]
  }

  /// Whether objects that are deleted leave the relationship, as their own side of it says.
  var isLeftByDeleted: Bool { otherEnd?.relationship?.deleteRule != .noAction }

  /// Whether the property says that `other`, which `owner` declares, is its inverse.
  fileprivate func names(_ other: PropertyDescription, of owner: EntityDescription) -> Bool {
    guard destination == owner.type, let keyPath = relationship?.inverseKeyPath else {
      return false
    }
    return owner.property(keyPath) === other
  }
}

extension EntityDescription {
  /// The relationships that the class itself declares and that have no named inverse.
  fileprivate func unnamedRelationships(to target: EntityDescription) -> [PropertyDescription] {
    ownProperties.filter { property in
      property.destination == target.type && property.relationship?.inverseKeyPath == nil
        && !target.properties.contains { $0.names(property, of: self) }
    }
  }
}
