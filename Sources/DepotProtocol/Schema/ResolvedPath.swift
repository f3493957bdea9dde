/// A key path resolved from the rows of an entity: its steps and its end.
public struct ResolvedPath: Hashable, Sendable {
  /// A relationship in the path, with the entity that declares it.
  public enum Step: Hashable, Sendable {
    case toOne(Relationship, owner: String)
    case toMany(Relationship, owner: String)

    public var relationship: Relationship {
      switch self {
      case .toOne(let relationship, _), .toMany(let relationship, _): relationship
      }
    }

    /// The entity that declares the relationship.
    public var owner: String {
      switch self {
      case .toOne(_, let owner), .toMany(_, let owner): owner
      }
    }
  }

  /// The end of the path.
  public enum End: Hashable, Sendable {
    case field(Field)
    /// An attribute that is a collection.
    case collection(Field)
    case identifier
    case version
    case entityName
    /// The target row of the last relationship.
    case object
  }

  /// The path in its original spelling.
  public var path: String
  public var steps: [Step]
  public var end: End
  /// The entity of the rows after all steps.
  public var entity: String

  /// Whether it gives any number of values, because a relationship in it is to-many.
  ///
  /// A ``End/collection(_:)`` at the end of to-one relationships is one value with elements.
  public var isToMany: Bool {
    steps.contains { if case .toMany = $0 { true } else { false } }
  }

  /// Whether the value, or an element of a collection, may be null.
  public var isOptional: Bool {
    let isOptionalAtEnd =
      switch end {
      case .field(let field), .collection(let field): field.attribute.isOptional
      case .identifier, .version, .entityName, .object: false
      }
    return isOptionalAtEnd
      || steps.contains { !$0.relationship.isToMany && $0.relationship.isOptional }
  }

  /// The type of its values, or of a collection's elements; `int64` for rows.
  public var type: AttributeType {
    switch end {
    case .field(let field), .collection(let field): field.attribute.type
    case .identifier, .version, .object: .int64
    case .entityName: .string
    }
  }
}

extension Schema {
  /// Resolves a key path from the rows of an entity.
  ///
  /// The parts of a path are relationships, then perhaps an attribute, or `$id`, `$version` or
  /// `$entity`. The attribute may be part of a composite: `home.city`.
  ///
  /// - Throws: ``DepotError`` `schema.unknown_attribute` that names the unknown step.
  public func resolve(
    path: String,
    from entity: Entity
  ) throws(DepotError) -> ResolvedPath {
    var rest = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
    var result = ResolvedPath(path: path, steps: [], end: .object, entity: entity.name)
    var current = entity
    while let part = rest.first {
      if let step = step(part, from: current) {
        result.steps.append(step)
        current = try self.entity(named: step.relationship.destination)
        result.entity = current.name
        rest.removeFirst()
        continue
      }
      switch rest.joined(separator: ".") {
      case "$id": result.end = .identifier
      case "$version": result.end = .version
      case "$entity": result.end = .entityName
      case let name:
        let field = try field(name, of: current, in: path)
        result.end = field.attribute.collection == nil ? .field(field) : .collection(field)
      }
      break
    }
    return result
  }

  private func step(_ name: String, from entity: Entity) -> ResolvedPath.Step? {
    for owner in lineage(of: entity) {
      guard let relationship = owner.relationship(name) else { continue }
      return relationship.isToMany
        ? .toMany(relationship, owner: owner.name) : .toOne(relationship, owner: owner.name)
    }
    return nil
  }

  private func field(
    _ name: String,
    of entity: Entity,
    in path: String
  ) throws(DepotError) -> Field {
    let fields = fields(of: entity)
    if let field = fields.first(where: { $0.path == name }) { return field }
    if let special = ["$id", "$version", "$entity"].first(where: { name.hasPrefix($0 + ".") }) {
      throw DepotError(.unknownAttribute, "Nothing follows \(special) in \"\(path)\".")
        .hint("End the path with it.")
    }
    if let shorter = fields.first(where: { !$0.isPresence && name.hasPrefix($0.path + ".") }) {
      throw DepotError(
        .unknownAttribute,
        "\(entity.name).\(shorter.path) is \(shorter.attribute.type.article): "
          + "nothing follows it in \"\(path)\"."
      ).hint("Only relationships and composites lead further.")
    }
    let parts = fields.map(\.path).filter { $0.hasPrefix(name + ".") }
    guard parts.isEmpty else {
      throw DepotError(.unknownAttribute, "\(entity.name).\(name) is a composite, not a value.")
        .hint("It has \(parts.joined(separator: ", ")).")
    }
    throw unknownPath(name, from: entity)
  }
}

extension AttributeType {
  /// The type with its article.
  fileprivate var article: String {
    self == .int64 ? "an int64" : "a \(rawValue)"
  }
}
