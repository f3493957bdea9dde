extension SchemaInference {
  mutating func compareIndexes(from before: Entity, to after: Entity) {
    let paths = successors(in: after.name)
    for kind in Entity.IndexKind.allCases {
      let lists = before[kind].map { list in
        (old: list, new: list.map { paths[$0] ?? "" })
      }
      for (old, new) in lists where !after[kind].contains(new) {
        add(.removedIndex(kind, old, entity: after.name))
      }
      for new in after[kind] where !lists.contains(where: { $0.new == new }) {
        add(.addedIndex(kind, new, entity: after.name))
      }
    }
  }

  /// Returns the new paths of an entity's columns by their old ones.
  private func successors(in entity: String) -> [String: String] {
    var result: [String: String] = [:]
    for attribute in attributes[entity] ?? [] {
      for field in FieldSuccession.all(attribute) {
        if let old = field.old, let new = field.new { result[old.path] = new.path }
      }
    }
    for relationship in relationships[entity] ?? [] {
      if let old = relationship.old, let new = relationship.new { result[old.name] = new.name }
    }
    return result
  }
}
