internal import DepotProtocol

extension DepotProtocol.Schema {
  /// Returns this schema with the defaults that some attributes have in a store.
  ///
  /// - Parameters:
  ///   - stored: The store's schema.
  ///   - names: The attributes, as in `Trip.created`.
  /// - Returns: The schema.
  func takingDefaults(
    of stored: DepotProtocol.Schema,
    for names: Set<String>
  ) -> DepotProtocol.Schema {
    guard !names.isEmpty else { return self }
    return changingAttributes { entity, attribute in
      guard names.contains("\(entity.name).\(attribute.name)"),
        let old = stored[entity.name]?[attribute.name]
      else { return }
      attribute.takeDefaults(of: old)
    }
  }

  /// Returns this schema with changes to the attributes of its entities.
  func changingAttributes(
    _ change: (Entity, inout Attribute) -> Void
  ) -> DepotProtocol.Schema {
    var result = self
    for (index, entity) in entities.enumerated() {
      for place in entity.attributes.indices {
        change(entity, &result.entities[index].attributes[place])
      }
    }
    return result
  }
}

extension Attribute {
  /// Takes the defaults of another version of the attribute, and of its parts.
  fileprivate mutating func takeDefaults(of old: Attribute) {
    if type == old.type, let value = old.defaultValue { defaultValue = value }
    for index in properties.indices {
      if let part = old.properties.first(where: { $0.name == properties[index].name }) {
        properties[index].takeDefaults(of: part)
      }
    }
  }
}
