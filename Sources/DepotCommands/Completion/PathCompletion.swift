internal import DepotProtocol

/// The completion of key paths.
enum PathCompletion {
  /// Returns the paths that begin with `start`, longer by one step at most.
  ///
  /// A relationship or composite gets its period only when its name is complete.
  static func candidates(
    _ start: Substring,
    of entity: Entity,
    _ schema: Schema,
    _ kind: Candidates.PathKind = .any
  ) -> [Candidate] {
    var place = Place.entity(entity, isCollection: false)
    var before = ""
    var steps = start.split(separator: ".", omittingEmptySubsequences: false)
    let last = steps.popLast() ?? ""
    for step in steps {
      guard let next = place.following(String(step), schema) else { return [] }
      place = next
      before += step + "."
    }
    if kind != .assignable, place.following(String(last), schema) != nil {
      return [Candidate(text: before + last + ".")]
    }
    return place.names(schema, kind).filter { $0.text.hasPrefix(last) }
      .map { $0.following(before) }
  }

  private static let aggregates = [
    Candidate(text: "@count", description: "how many"),
    Candidate(text: "@sum", description: "the sum"),
    Candidate(text: "@min", description: "the least"),
    Candidate(text: "@max", description: "the greatest"),
    Candidate(text: "@avg", description: "the average"),
  ]
  private static let system = [
    Candidate(text: "$id", description: "the row's number"),
    Candidate(text: "$version", description: "how often the row was changed"),
    Candidate(text: "$entity", description: "the row's own entity"),
  ]

  /// The target of a path.
  private enum Place {
    case entity(Entity, isCollection: Bool)
    case composite([Attribute])
    /// Collections of values, which have only aggregates.
    case values

    /// Returns the target of a further step, or `nil` if the step ends the path or is unknown.
    func following(_ step: String, _ schema: Schema) -> Place? {
      switch self {
      case .values: return nil
      case .composite(let parts): return Self.place(parts.first { $0.name == step })
      case .entity(let entity, let isCollection):
        if let relationship = schema.relationships(of: entity).first(where: { $0.name == step }) {
          return schema[relationship.destination].map {
            .entity($0, isCollection: isCollection || relationship.isToMany)
          }
        }
        return Self.place(schema.attributes(of: entity).first { $0.name == step })
      }
    }

    private static func place(_ attribute: Attribute?) -> Place? {
      guard let attribute else { return nil }
      if attribute.collection != nil { return .values }
      return attribute.type == .composite ? .composite(attribute.properties) : nil
    }

    func names(_ schema: Schema, _ kind: Candidates.PathKind) -> [Candidate] {
      let aggregates = kind == .any ? PathCompletion.aggregates : []
      switch self {
      case .values: return aggregates
      case .composite(let parts): return kind == .relationships ? [] : parts.map(Candidate.init)
      case .entity(let entity, let isCollection):
        let relationships = schema.relationships(of: entity)
        switch kind {
        case .relationships: return relationships.map(Candidate.init)
        case .assignable:
          let attributes = schema.attributes(of: entity)
          return schema.fields(of: entity).filter { !$0.isPresence }.map { field in
            attributes.first { $0.name == field.path }.map(Candidate.init)
              ?? relationships.first { $0.name == field.path }.map(Candidate.init)
              ?? Candidate(text: field.path)
          } + relationships.filter(\.isToMany).map(Candidate.init)
        case .any:
          return schema.attributes(of: entity).map(Candidate.init)
            + relationships.map(Candidate.init) + PathCompletion.system.prefix(2)
            + PathCompletion.system.dropFirst(2)
            .filter { _ in !schema.descendants(of: entity.name).isEmpty }
            + (isCollection ? aggregates : [])
        }
      }
    }
  }
}

extension Candidate {
  /// Creates a candidate for an attribute, described by its type.
  fileprivate init(_ attribute: Attribute) {
    self.init(text: attribute.name, description: SchemaText.type(attribute))
  }

  /// Creates a candidate for a relationship, described by its destination.
  fileprivate init(_ relationship: Relationship) {
    let count = SchemaText.cardinality(relationship)
    self.init(text: relationship.name, description: "\(relationship.destination) \(count)")
  }
}
