extension Entity {
  /// The kinds of indexes over several paths.
  package enum IndexKind: String, Hashable, Sendable, CaseIterable {
    case compound
    case range
    case unique
  }
}

extension Entity.IndexKind {
  /// The name for people.
  package var name: String { facts.name }

  /// The member of the schema's JSON form.
  var member: String { facts.member }

  fileprivate var facts: (name: String, member: String, paths: WritableKeyPath<Entity, [[String]]>)
  {
    switch self {
    case .compound: ("index", "indexes", \.indexes)
    case .range: ("range index", "rangeIndexes", \.rangeIndexes)
    case .unique: ("unique index", "uniques", \.uniques)
    }
  }
}

extension Entity {
  /// The paths of each index of a kind.
  package subscript(kind: IndexKind) -> [[String]] {
    get { self[keyPath: kind.facts.paths] }
    set { self[keyPath: kind.facts.paths] = newValue }
  }
}
