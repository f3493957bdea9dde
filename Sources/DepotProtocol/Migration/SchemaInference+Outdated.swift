extension SchemaInference {
  /// Sentences that name each item renamed since the new schema was written.
  ///
  /// The new schema adds an item under a name that the old schema records as an item's original
  /// name, and lacks that item's present name. So it belongs to an older program, which wouldn't
  /// find its own values.
  package var outdatedNames: [String] {
    let entities = Succession.all(from: old.entities, to: new.entities).outdated()
    var names = entities.map { "entity \($0.name) is called \($1.name)" }
    for entity in new.entities {
      let attributes = attributes[entity.name] ?? []
      let relationships = relationships[entity.name] ?? []
      let renamed =
        attributes.outdated().map { ($0.owner, $0.name, $1.name) }
        + relationships.outdated().map { ($0.owner, $0.name, $1.name) }
      for (owner, name, now) in renamed where owner == entity.name {
        names.append("\(entity.name).\(name) is called \(now)")
      }
      for attribute in attributes where attribute.new?.owner == entity.name {
        guard let before = attribute.old, let after = attribute.new else { continue }
        names += Self.outdatedParts(before.property, after.property, "\(entity.name).\(after.name)")
      }
    }
    return names
  }

  private static func outdatedParts(
    _ before: Attribute,
    _ after: Attribute,
    _ path: String
  ) -> [String] {
    let parts = Succession.all(from: before.properties, to: after.properties)
    return parts.outdated().map { "\(path).\($0.name) is called \($1.name)" }
      + parts.flatMap { part -> [String] in
        guard let before = part.old, let after = part.new else { return [] }
        return outdatedParts(before, after, "\(path).\(after.name)")
      }
  }
}

extension Array {
  /// Returns pairs of an added item and the removed item that had its name originally.
  fileprivate func outdated<Item>() -> [(Item, Item)] where Element == Succession<Item> {
    let gone = compactMap { $0.new == nil ? $0.old : nil }
    return compactMap { succession in
      guard succession.old == nil, let item = succession.new else { return nil }
      let name = NameSyntax.folded(item.name)
      return gone.first { $0.originalName.map(NameSyntax.folded) == name }.map { (item, $0) }
    }
  }
}
