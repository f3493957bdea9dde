internal import DepotProtocol

/// The members that records of an entity may have, ready to be looked up very often.
struct RecordShape {
  let entity: Entity
  let fields: [String: Field]
  let relationships: [String: Relationship]
  /// The names of the entity and of those that it descends from.
  let lineage: Set<String>
  /// The paths that have others below them.
  let composites: Set<String>
  /// The keys by which rules find rows of the entity.
  let keys: [NaturalKey]
  /// The key of the identifiers that rows have in a file.
  let fileKey: NaturalKey

  init(_ entity: Entity, _ schema: Schema, _ rules: LinkRules, _ otherKeys: Set<NaturalKey>) {
    self.entity = entity
    let all = schema.fields(of: entity)
    fields = Dictionary(all.map { ($0.path, $0) }) { first, _ in first }
    relationships = Dictionary(schema.relationships(of: entity).map { ($0.name, $0) }) { $1 }
    let owners = schema.lineage(of: entity).map(\.name)
    lineage = Set(owners)
    composites = Set(
      all.flatMap { field in
        field.path.indices.filter { field.path[$0] == "." }.map { String(field.path[..<$0]) }
      }
    )
    var keys = Set(rules.keys.values).union(otherKeys)
    if let key = NaturalKey(of: entity, schema) { keys.insert(key) }
    self.keys = keys.filter { owners.contains($0.entity) }
      .sorted { ($0.entity, $0.path) < ($1.entity, $1.path) }
    fileKey = NaturalKey(entity: owners[0], path: NaturalKey.fileIdentifier, type: .string)
  }
}
