extension Schema {
  /// Checks that names are usable and different and that indexes and defaults fit.
  ///
  /// - Throws: ``DepotError`` `schema.invalid` that names what is wrong.
  public func validate() throws(DepotError) {
    guard entities.count <= Limits.entities else {
      throw DepotError(.invalidSchema, "There are more than \(Limits.entities) entities.")
    }
    var names: Set<String> = []
    for entity in entities {
      try Self.validate(name: entity.name)
      guard names.insert(entity.name.lowercased()).inserted else {
        throw DepotError(.invalidSchema, "There are two entities named \(entity.name).")
          .hint("Names that differ only in case count as equal.")
      }
      try entity.validate()
    }
  }

  static func validate(name: String) throws(DepotError) {
    let isUsable =
      1...Limits.nameBytes ~= name.utf8.count && name.utf8.first.map { $0 &- 0x30 < 10 } == false
      && name.utf8.allSatisfy { byte in
        byte &- 0x30 < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
      }
    guard isUsable else {
      throw DepotError(.invalidSchema, "\(name.debugDescription) can't be a name.")
        .hint("A name has letters, digits and underscores of ASCII, and no digit first.")
    }
  }
}

extension Entity {
  fileprivate func validate() throws(DepotError) {
    guard 1...Limits.attributes ~= attributes.count else {
      throw DepotError(.invalidSchema, "\(name) must have 1 to \(Limits.attributes) attributes.")
    }
    var names: Set<String> = []
    for attribute in attributes {
      try Schema.validate(name: attribute.name)
      guard names.insert(attribute.name.lowercased()).inserted else {
        throw DepotError(.invalidSchema, "\(name) has two attributes named \(attribute.name).")
          .hint("Names that differ only in case count as equal.")
      }
      if attribute.defaultValue == .null, !attribute.isOptional {
        throw DepotError(.invalidSchema, "\(name).\(attribute.name) can't be null by default.")
          .hint("Make it optional or give another default.")
      }
      if let value = attribute.defaultValue, let type = value.type, type != attribute.type {
        throw DepotError(.invalidSchema, "The default of \(name).\(attribute.name) is no \(type).")
      }
    }
    for index in indexes {
      guard !index.isEmpty, Set(index).count == index.count else {
        throw DepotError(.invalidSchema, "An index of \(name) is empty or names one thing twice.")
      }
      for attribute in index where self[attribute] == nil {
        throw unknownAttribute(attribute)
      }
    }
  }

  /// Returns the error that there is no attribute `name`, with the nearest name as the hint.
  public func unknownAttribute(_ name: String) -> DepotError {
    let nearest = Spelling.nearest(to: name, in: attributes.map(\.name) + ["$id", "$version"])
    return DepotError(.unknownAttribute, "\(self.name) has no attribute \"\(name)\".")
      .hint(
        nearest.map { "Did you mean \"\($0)\"?" }
          ?? "It has \(attributes.map(\.name).joined(separator: ", "))."
      )
      .details(nearest.map { ["didYouMean": .string($0)] } ?? [:])
  }
}

extension Schema {
  /// Returns the entity named `name`.
  ///
  /// - Throws: ``DepotError`` `schema.unknown_entity` with the nearest name as the hint.
  public func entity(named name: String) throws(DepotError) -> Entity {
    if let entity = self[name] { return entity }
    let nearest = Spelling.nearest(to: name, in: entities.map(\.name))
    throw DepotError(.unknownEntity, "There is no entity \"\(name)\".")
      .hint(
        nearest.map { "Did you mean \"\($0)\"?" }
          ?? (entities.isEmpty
            ? "The store has no schema yet: apply one first."
            : "There are \(entities.map(\.name).joined(separator: ", ")).")
      )
  }
}
