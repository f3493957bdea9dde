extension Schema {
  /// Returns the last of some versions of a schema, with the names in the first as original names.
  ///
  /// `versions` are all that there were, in their order. A part that the first one lacks has no
  /// original name.
  package static func traced(through versions: [Schema]) -> Schema {
    guard var before = versions.first else { return Schema() }
    var traced = before
    traced.entities = before.entities.map(\.named)
    for version in versions.dropFirst() {
      var next = version
      next.entities = version.entities.traced(from: before.entities, traced.entities) {
        $0.attributes = $0.attributes.traced(
          from: $1.attributes,
          $2.attributes,
          Attribute.traceParts
        )
        $0.relationships = $0.relationships.traced(from: $1.relationships, $2.relationships)
      }
      (before, traced) = (version, next)
    }
    return traced
  }
}

extension Array where Element: Renameable {
  /// Returns the elements with the original names of those in `traced` that they succeed.
  ///
  /// `old` has the elements of `traced` as they were, and `inside` does the same for their parts.
  fileprivate func traced(
    from old: [Element],
    _ traced: [Element],
    _ inside: (_ new: inout Element, _ old: Element, _ traced: Element) -> Void = { _, _, _ in }
  ) -> [Element] {
    zip(self, Succession.all(from: old, to: self)).map { element, succession in
      var element = element
      let place = old.firstIndex { $0.name == succession.old?.name }
      element.originalName = place.flatMap { traced[$0].originalName }
      if let place { inside(&element, old[place], traced[place]) }
      return element
    }
  }
}

extension Entity {
  /// The entity with its names as original names.
  fileprivate var named: Entity {
    var entity = self
    entity.originalName = name
    entity.attributes = attributes.map(\.named)
    for index in entity.relationships.indices {
      entity.relationships[index].originalName = relationships[index].name
    }
    return entity
  }
}

extension Attribute {
  /// The attribute with its names as original names.
  fileprivate var named: Attribute {
    var attribute = self
    attribute.originalName = name
    attribute.properties = properties.map(\.named)
    return attribute
  }

  fileprivate static func traceParts(
    _ new: inout Attribute,
    _ old: Attribute,
    _ traced: Attribute
  ) {
    new.properties = new.properties.traced(from: old.properties, traced.properties, traceParts)
  }
}
