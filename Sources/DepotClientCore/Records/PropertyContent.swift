internal import DepotProtocol

/// The content of a record's property.
enum PropertyContent: Sendable {
  case identifier
  case version
  case attribute(Attribute)
  case composite(any Composite.Type, isOptional: Bool)
  case relationship(RelationshipContent)
}

/// A relationship as a record describes it.
struct RelationshipContent: Sendable {
  /// Its declaration in the schema, but for the names that other records know.
  var relationship: Relationship
  let destination: any Record.Type
  let inverse: (any Sendable & AnyKeyPath)?
  /// The key paths from the property to the destination's properties.
  let steps: @Sendable (Relationship) -> [PropertyPath.Known]

  init<Content: Reference>(
    _ name: String,
    of content: Content.Type,
    inverse: (any PartialKeyPath<Content.Destination> & Sendable)?
  ) {
    relationship = Relationship(name: name, destination: "")
    destination = Content.Destination.self
    self.inverse = inverse
    let isRelated = Content.self is Related<Content.Destination>.Type
    steps = { relationship in
      guard isRelated else { return [] }
      return relationship.isToMany
        ? Related<Content.Destination>.stepsFromArray
        : Related<Content.Destination>.steps(isOptional: relationship.isOptional)
    }
  }
}

extension Related where Destination: Record {
  /// The key paths to the properties of the record.
  static func steps(isOptional: Bool) -> [PropertyPath.Known] {
    let id: AnyKeyPath = isOptional ? \Related?.?.id : \Related.id
    return Destination.attributes.all.map { attribute in
      PropertyPath.Known(
        keyPath: isOptional ? attribute.chainedMember() : attribute.member(),
        path: attribute.name,
        content: attribute.content
      )
    } + [PropertyPath.Known(keyPath: id, path: "$id", content: .identifier)]
  }

  /// The key paths to the properties of the records of an array.
  static var stepsFromArray: [PropertyPath.Known] {
    steps(isOptional: false).compactMap { step in
      (\[Related].every as AnyKeyPath).appending(path: step.keyPath).map { keyPath in
        PropertyPath.Known(keyPath: keyPath, path: step.path, content: step.content)
      }
    }
  }
}

extension RowConvertible {
  /// The key paths to the properties.
  static var steps: [PropertyPath.Known] {
    attributes.all.map {
      PropertyPath.Known(keyPath: $0.keyPath, path: $0.name, content: $0.content)
    }
  }
}

extension PropertyContent {
  /// The names on the wire of the values that a property called `name` reads and writes.
  func columns(_ name: String) -> [String] {
    switch self {
    case .identifier, .version: []
    case .attribute, .relationship: [name]
    case .composite(let type, let isOptional):
      (isOptional ? [name] : []) + type.columnNames.map { "\(name).\($0)" }
    }
  }

  /// The key paths from the property to its parts; none for an optional composite.
  ///
  /// Key paths to parts of an optional composite can't be made.
  var steps: [PropertyPath.Known] {
    switch self {
    case .composite(let type, isOptional: false): type.steps
    case .relationship(let link): link.steps(link.relationship)
    default: []
    }
  }
}

extension PropertyContent {
  /// The type of the values.
  var type: AttributeType {
    switch self {
    case .identifier, .version, .relationship: .int64
    case .composite: .bool
    case .attribute(let attribute): attribute.type
    }
  }
}
