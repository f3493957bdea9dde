/// The check of an entity's indexes.
struct IndexCheck {
  let entity: Entity
  /// The columns of the entity's rows.
  let fields: [Field]
  let schema: Schema

  func run() throws(DepotError) {
    for kind in Entity.IndexKind.allCases {
      guard entity[kind].count <= Limits.attributes else {
        throw .invalid("\(entity.name) has over \(Limits.attributes) \(kind.member).")
          .hint("Split the entity.").at("/\(kind.member)")
      }
      for (index, paths) in entity[kind].enumerated() {
        try check(paths, kind, at: "/\(kind.member)/\(index)")
      }
    }
  }

  private func check(
    _ paths: [String],
    _ kind: Entity.IndexKind,
    at pointer: String
  ) throws(DepotError) {
    guard !paths.isEmpty, Set(paths).count == paths.count else {
      throw .invalid(
        "\(kind == .unique ? "A" : "An") \(kind.name) of \(entity.name) is empty or names one "
          + "thing twice."
      ).hint("List different attributes.").at(pointer)
    }
    if kind == .range, paths.count > 5 {
      throw .invalid("A range index of \(entity.name) has more than 5 paths.")
        .hint("An r-tree has at most five dimensions.").at(pointer)
    }
    try DepotError.each(paths, below: pointer) { (path) throws(DepotError) in
      try check(path, kind)
    }
  }

  private func check(_ path: String, _ kind: Entity.IndexKind) throws(DepotError) {
    guard let field = fields.first(where: { $0.path == path }) else {
      throw schema.unknownPath(path, from: entity)
    }
    if let (problem, hint) = problem(with: field, kind) {
      let index = (kind == .compound ? "an " : "a ") + kind.name
      throw .invalid("\(entity.name).\(path) \(problem) and can't be in \(index).").hint(hint)
    }
  }

  private func problem(with field: Field, _ kind: Entity.IndexKind) -> (String, String)? {
    let attribute = field.attribute
    if field.isPresence {
      let part = fields.first { $0.path.hasPrefix(field.path + ".") }?.path
      return ("is a composite", "Name one of its properties: \(part ?? field.path).")
    }
    if attribute.type == .json || attribute.collection != nil {
      return ("is \(attribute.type == .json ? "JSON" : "a collection")", "Name a scalar.")
    }
    if attribute.options.contains(.externalStorage) {
      return ("is stored externally", "Turn that off, or leave it out of the index.")
    }
    if attribute.options.contains(.ephemeral) {
      return ("is ephemeral", "The store doesn't keep its values.")
    }
    if kind == .unique, attribute.derivation != nil {
      return ("is derived", "Name the attributes that it is derived from.")
    }
    if kind == .range,
      field.relationship != nil || !attribute.type.isMeasure
    {
      return ("is neither number nor date", "Put it into a compound index.")
    }
    if let relationship = field.relationship,
      !schema.holdsIdentifier(relationship, of: field.owner)
    {
      let inverse = "\(relationship.destination).\(relationship.inverse ?? "")"
      return ("is stored as \(inverse)", "Index \(inverse) instead.")
    }
    return nil
  }
}
