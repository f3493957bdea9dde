extension Schema {
  /// Returns this schema changed to match `other`, in the order of this one.
  ///
  /// Additions of `other` come at the end, and parts that `other` lacks are kept.
  func extended(by other: Schema) -> Schema {
    var result = self
    result.version = other.version
    result.entities = entities.extended(by: other.entities, key: \.name) { $0.extended(by: $1) }
    return result
  }
}

extension Entity {
  fileprivate func extended(by other: Entity) -> Entity {
    var result = other
    result.attributes = attributes.extended(by: other.attributes)
    result.relationships = relationships.extended(by: other.relationships, key: \.name) { $1 }
    for kind in Entity.IndexKind.allCases {
      result[kind] = self[kind].extended(by: other[kind], key: \.self) { $1 }
    }
    return result
  }
}

extension [Attribute] {
  fileprivate func extended(by other: [Attribute]) -> [Attribute] {
    extended(by: other, key: \.name) { old, new in
      var result = new
      result.properties = old.properties.extended(by: new.properties)
      return result
    }
  }
}

extension Array {
  fileprivate func extended<Key: Hashable>(
    by other: [Element],
    key: (Element) -> Key,
    _ merge: (Element, Element) -> Element
  ) -> [Element] {
    let wanted = Dictionary(other.map { (key($0), $0) }) { first, _ in first }
    let known = Set(map(key))
    return map { old in wanted[key(old)].map { merge(old, $0) } ?? old }
      + other.filter { !known.contains(key($0)) }
  }
}
