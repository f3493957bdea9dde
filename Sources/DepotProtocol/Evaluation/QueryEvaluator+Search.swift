extension QueryEvaluator {
  /// Returns whether texts of the object, or of the innermost element, match a full-text query.
  func search(_ words: String, _ paths: [String]) -> Bool {
    guard let query = try? SearchQuery(words) else { return false }
    var (object, entity) = (row as (any EvaluationRow)?, typing.entity)
    if case .object(let element)? = variables.last?.value,
      case .object(let name)? = typing.variables.last?.kind
    {
      (object, entity) = (element, name)
    }
    guard let object else { return false }
    guard !paths.isEmpty else { return search(query, in: object, schema[entity]) }
    var groups: [(owner: [String], names: [String])] = []
    for path in paths {
      let (owner, name) = split(path, entity)
      if let index = groups.firstIndex(where: { $0.owner == owner }) {
        groups[index].names += name
      } else {
        groups.append((owner, name))
      }
    }
    return groups.contains { group in
      owners(group.owner[...], of: object).contains { owner in
        query.matches(group.names.compactMap { owner.value(at: $0).text })
      }
    }
  }

  private func search(
    _ query: SearchQuery,
    in object: any EvaluationRow,
    _ entity: Entity?
  ) -> Bool {
    guard let entity else { return false }
    let names = searchable(entity, schema[object.entityName])
    return query.matches(names.compactMap { object.value(at: $0).text })
  }

  /// The searchable texts of an entity, and the additional ones of an object's own entity.
  private func searchable(_ entity: Entity, _ actual: Entity?) -> [String] {
    schema.fields(of: actual ?? entity).filter { $0.attribute.options.contains(.spotlight) }
      .map(\.path)
  }

  private func split(_ path: String, _ entity: String) -> (owner: [String], names: [String]) {
    var (owner, entity): ([String], Entity?) = ([], schema[entity])
    var rest = path.split(separator: ".").map(String.init)[...]
    while let first = rest.first, let found = entity,
      let relationship = schema.relationships(of: found).first(where: { $0.name == first })
    {
      entity = schema[relationship.destination]
      owner.append(first)
      rest.removeFirst()
    }
    let name = rest.joined(separator: ".")
    return (owner, name.isEmpty ? entity.map { searchable($0, nil) } ?? [] : [name])
  }

  private func owners(
    _ steps: ArraySlice<String>,
    of object: any EvaluationRow
  ) -> [any EvaluationRow] {
    guard let first = steps.first else { return [object] }
    let isToMany =
      schema[object.entityName].map { entity in
        schema.relationships(of: entity).contains { $0.name == first && $0.isToMany }
      } ?? false
    let next = isToMany ? object.objects(first) : object.object(first).map { [$0] } ?? []
    return next.flatMap { owners(steps.dropFirst(), of: $0) }
  }
}
