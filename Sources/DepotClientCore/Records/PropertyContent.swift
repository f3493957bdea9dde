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
  /// The key paths from the property to those of the destination.
  let steps: @Sendable (_ isOptional: Bool, _ isToMany: Bool) -> [PropertyStep]

  init<Content: Reference>(
    _ name: String,
    of content: Content.Type,
    inverse: (any PartialKeyPath<Content.Destination> & Sendable)?
  ) {
    relationship = Relationship(name: name, destination: "")
    destination = Content.Destination.self
    self.inverse = inverse
    let isRelated = Content.self is Related<Content.Destination>.Type
    steps = { isOptional, isToMany in
      guard isRelated else { return [] }
      return isToMany
        ? Related<Content.Destination>.stepsFromArray
        : Related<Content.Destination>.steps(isOptional: isOptional)
    }
  }
}

/// A key path from a property to one of its parts, and what that stands for.
struct PropertyStep {
  var keyPath: AnyKeyPath
  /// The name; empty if it is the same object.
  var name: String
  var content: PropertyContent
}

extension Related where Destination: Record {
  /// The key paths to the properties of the record.
  static func steps(isOptional: Bool) -> [PropertyStep] {
    let id: AnyKeyPath = isOptional ? \Related?.?.id : \Related.id
    return Destination.attributes.all.map { attribute in
      PropertyStep(
        keyPath: isOptional ? attribute.chainedMember() : attribute.member(),
        name: attribute.name,
        content: attribute.content
      )
    } + [PropertyStep(keyPath: id, name: "$id", content: .identifier)]
  }

  /// The key paths to the properties of the records of an array.
  static var stepsFromArray: [PropertyStep] {
    steps(isOptional: false).compactMap { step in
      (\[Related].every as AnyKeyPath).appending(path: step.keyPath).map { keyPath in
        PropertyStep(keyPath: keyPath, name: step.name, content: step.content)
      }
    }
  }
}

extension RowConvertible {
  /// The key paths to the properties.
  static var steps: [PropertyStep] {
    attributes.all.map { attribute in
      PropertyStep(keyPath: attribute.keyPath, name: attribute.name, content: attribute.content)
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
      (isOptional ? [name] : []) + Self.parts(of: type).map { "\(name).\($0)" }
    }
  }

  private static func parts<Content: Composite>(of type: Content.Type) -> [String] {
    Content.attributes.names
  }

  /// The key paths from the property to its parts; none to those of an optional composite, for
  /// which key paths can't be made.
  var steps: [PropertyStep] {
    switch self {
    case .composite(let type, isOptional: false): type.steps
    case .relationship(let link):
      link.steps(
        link.relationship.isOptional && !link.relationship.isToMany,
        link.relationship.isToMany
      )
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
