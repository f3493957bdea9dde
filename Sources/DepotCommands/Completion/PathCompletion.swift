internal import DepotProtocol

/// The guesses at how a key path goes on.
enum PathCompletion {
  /// Which paths may stand there.
  enum Kind: Sendable {
    /// Anything that has a value in the row or in a row that it leads to.
    case any
    /// Relationships only.
    case relationships
    /// What a row itself has values for.
    case assignable
  }

  /// Returns the paths that begin with `start`, longer by one step at most.
  ///
  /// A step that leads on gets its point when it is complete, and no sooner.
  static func candidates(
    _ start: Substring,
    of entity: Entity,
    _ schema: Schema,
    _ kind: Kind = .any
  ) -> [String] {
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
      return [before + last + "."]
    }
    return place.names(schema, kind).filter { $0.hasPrefix(last) }
      .map { before + $0 }
  }

  /// Where a path has led to.
  private enum Place {
    case entity(Entity, isCollection: Bool)
    case composite([Attribute])
    /// Collections of values, which have only aggregates.
    case values

    /// Where a step leads, or `nil` if it is the end or there is none.
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

    func names(_ schema: Schema, _ kind: Kind) -> [String] {
      let aggregates = kind == .any ? ["@count", "@sum", "@min", "@max", "@avg"] : []
      switch self {
      case .values: return aggregates
      case .composite(let parts): return kind == .relationships ? [] : parts.map(\.name)
      case .entity(let entity, let isCollection):
        let relationships = schema.relationships(of: entity)
        switch kind {
        case .relationships: return relationships.map(\.name)
        case .assignable:
          return schema.fields(of: entity).filter { !$0.isPresence }.map(\.path)
            + relationships.filter(\.isToMany).map(\.name)
        case .any:
          return schema.attributes(of: entity).map(\.name) + relationships.map(\.name)
            + ["$id", "$version"] + (schema.descendants(of: entity.name).isEmpty ? [] : ["$entity"])
            + (isCollection ? aggregates : [])
        }
      }
    }
  }
}
