extension Schema {
  /// The schema with all names in normal form C; source code may have them in another form.
  package var withNormalizedNames: Schema {
    var copy = self
    for index in copy.entities.indices { copy.entities[index].normalizeNames() }
    return copy
  }
}

extension Entity {
  fileprivate mutating func normalizeNames() {
    name = NameSyntax.normalized(name)
    parent = parent.map(NameSyntax.normalized)
    originalName = originalName.map(NameSyntax.normalized)
    for index in attributes.indices { attributes[index].normalizeNames() }
    for index in relationships.indices { relationships[index].normalizeNames() }
    for kind in Entity.IndexKind.allCases {
      self[kind] = self[kind].map { $0.map(NameSyntax.normalized) }
    }
  }
}

extension Entity {
  /// Checks that the names of other items that it refers to are in normal form C.
  func validateForms() throws(DepotError) {
    try Self.validate(form: parent, at: "/parent")
    for (index, relationship) in relationships.enumerated() {
      let place = "/relationships/\(index)"
      try Self.validate(form: relationship.destination, at: place + "/destination")
      try Self.validate(form: relationship.inverse, at: place + "/inverse")
    }
    for kind in Entity.IndexKind.allCases {
      for (index, paths) in self[kind].enumerated() {
        for (place, path) in paths.enumerated() {
          try Self.validate(form: path, at: "/\(kind.member)/\(index)/\(place)")
        }
      }
    }
  }

  private static func validate(form name: String?, at pointer: String) throws(DepotError) {
    guard let name, !NameSyntax.isNormalized(name) else { return }
    throw .invalid("\(name.quoted) isn't in Unicode's normal form C.")
      .hint(NameSyntax.normalForm).at(pointer)
  }
}

extension Attribute {
  fileprivate mutating func normalizeNames() {
    name = NameSyntax.normalized(name)
    originalName = originalName.map(NameSyntax.normalized)
    for index in properties.indices { properties[index].normalizeNames() }
  }
}

extension Relationship {
  fileprivate mutating func normalizeNames() {
    name = NameSyntax.normalized(name)
    destination = NameSyntax.normalized(destination)
    inverse = inverse.map(NameSyntax.normalized)
    originalName = originalName.map(NameSyntax.normalized)
  }
}
