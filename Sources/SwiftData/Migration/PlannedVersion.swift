internal import DepotProtocol

/// One version of a plan, as far as it is about one store.
struct PlannedVersion {
  let type: any VersionedSchema.Type
  let schema: Schema
  /// The entities that the store holds.
  let descriptions: [EntityDescription]
  /// The schema of these entities for the service.
  let lowered: DepotProtocol.Schema

  /// Describes a version for a store that may hold some entities, or all if `nil`.
  ///
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` about a property that can't be stored.
  init(_ type: any VersionedSchema.Type, in entities: Set<String>?) throws {
    self.type = type
    schema = Schema(versionedSchema: type)
    let known = schema.descriptions.filter { entities?.contains($0.name) ?? true }
    // The targets of relationships are in the same store.
    descriptions = EntityCollection(known.map(\.type)).descriptions
    lowered = try SchemaLowering(descriptions).schema(schema.version)
  }

  var number: SchemaVersion { lowered.version ?? SchemaVersion(0, 0, 0) }

  /// Whether a store's rows have the form of this version, regardless of its number.
  func isLike(_ stored: DepotProtocol.Schema) -> Bool {
    !lowered.entities.isEmpty
      && lowered.entities.allSatisfy { entity in
        stored[entity.name]?.hash(in: stored) == entity.hash(in: lowered)
      }
  }

  /// Whether a store needs nothing but additions to be of this version.
  func isNearly(_ stored: DepotProtocol.Schema) -> Bool {
    stored.version == lowered.version
      && SchemaComparison(from: stored, to: lowered.keeping(stored)).differences.isEmpty
  }
}
