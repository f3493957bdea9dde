import SwiftData

// A call of each declaration of schemas and migrations, as users write it. That it compiles is what it shows.

func schemas(_ url: URL, _ properties: [any SchemaProperty]) throws {
  _ = Schema()
  _ = Schema(Schema.Entity("Trip"), version: Schema.Version(1, 2, 3))
  _ = Schema([Trip.self, Everything.self])
  _ = Schema([Trip.self], version: Schema.Version(2, 0, 0))
  _ = Schema(Trip.self, Everything.self, version: Schema.Version(2, 0, 0))
  let schema = Schema(versionedSchema: NotesV1.self)
  let versions: [Schema.Version] =
    [Schema.schemaEncodingVersion, schema.encodingVersion, schema.version]
  let _: [Int] = versions.flatMap { [$0.major, $0.minor, $0.patch] }
  let _: String = "\(versions[0])" + versions[0].description
  let _: Bool = versions[0] < versions[1]
  let _: [Schema.Entity] = schema.entities
  let _: [String: Schema.Entity] = schema.entitiesByName
  let _: String = schema.debugDescription + Schema.entityName(for: Trip.self)
  let _: Schema.Entity? = schema.entity(for: Trip.self)
  try schema.save(to: url)
  let _: Schema = try Schema.load(from: url)
  let _: Bool = schema == schema
  let _: any Sendable = schema
  _ = Schema.PropertyMetadata(name: "name", keypath: \Trip.name)
  _ = Schema.PropertyMetadata(
    name: "name",
    keypath: \Trip.name,
    defaultValue: "",
    metadata: Schema.Attribute(.unique)
  )
}

func entities(_ attribute: Schema.Attribute, _ relationship: Schema.Relationship) {
  let entity = Schema.Entity("Trip")
  let parent = Schema.Entity("Parent", properties: attribute, relationship)
  _ = Schema.Entity("Root", subentities: parent, properties: attribute)
  entity.name = "Other"
  entity.subentities = [parent]
  entity.superentity = parent
  entity.superentityName = parent.name
  entity.attributes = [attribute]
  entity.attributesByName = ["a": attribute]
  entity.relationships = [relationship]
  entity.relationshipsByName = ["r": relationship]
  let _: [any SchemaProperty] = entity.properties
  entity.storedProperties = [attribute, relationship]
  entity.storedPropertiesByName = ["a": attribute]
  entity.inheritedProperties = []
  entity.inheritedPropertiesByName = [:]
  entity.uniquenessConstraints = [["name"]]
  entity.indices = [["name"]]
  let _: String = entity.debugDescription
  let _: Set<Schema.Entity> = [entity]
}

func attributes() {
  let options: [Schema.Attribute.Option] = [
    .unique, .transformable(by: "Transformer"), .transformable(by: ValueTransformer.self),
    .externalStorage, .allowsCloudEncryption, .preserveValueOnDeletion, .ephemeral, .spotlight,
    .codable,
  ]
  let _: String = options[0].debugDescription
  _ = Schema.Attribute()
  _ = Schema.Attribute(.unique, .spotlight, originalName: "old", hashModifier: "2")
  let attribute = Schema.Attribute(
    name: "name",
    originalName: "old",
    options: options,
    valueType: String.self,
    defaultValue: "",
    hashModifier: nil
  )
  attribute.name = "other"
  attribute.originalName = "name"
  attribute.options = []
  attribute.valueType = Int.self
  attribute.defaultValue = nil
  attribute.hashModifier = "3"
  attribute.isOptional = true
  let _: [Bool] = [
    attribute.isAttribute, attribute.isRelationship, attribute.isTransient,
    attribute.isTransformable,
    attribute.isUnique,
  ]
  let _: String = attribute.debugDescription
  let composite = Schema.CompositeAttribute(name: "size", valueType: Int.self)
  composite.properties = [attribute]
  let _: String = composite.debugDescription
  let _: Set<Schema.Attribute> = [attribute, composite]
}

func relationships() {
  let relationship = Schema.Relationship(
    .unique,
    deleteRule: .cascade,
    minimumModelCount: 1,
    maximumModelCount: 3,
    originalName: "old",
    inverse: \BucketListItem.trip,
    hashModifier: "2"
  )
  _ = Schema.Relationship()
  relationship.name = "items"
  relationship.originalName = ""
  relationship.options = [.unique]
  relationship.valueType = [BucketListItem].self
  relationship.keypath = \Trip.bucketList
  relationship.destination = "BucketListItem"
  relationship.inverseName = "trip"
  relationship.inverseKeyPath = nil
  relationship.minimumModelCount = nil
  relationship.maximumModelCount = nil
  relationship.hashModifier = nil
  for rule: Schema.Relationship.DeleteRule in [.noAction, .nullify, .cascade, .deny] {
    relationship.deleteRule = rule
    let _: String = rule.rawValue
  }
  let _: [Bool] = [
    relationship.isToOneRelationship, relationship.isAttribute, relationship.isRelationship,
    relationship.isTransient, relationship.isOptional, relationship.isUnique,
  ]
  let _: String = relationship.debugDescription + relationship.options[0].debugDescription
}

func constraints() {
  _ = Schema.Index<Trip>([\.name], [\.name, \.startDate])
  let index = Schema.Index<Trip>(.binary([\.name]), .rtree([\.startDate]))
  let _: [Schema.Index<Trip>.Types<Trip>] = index.indices
  let unique = Schema.Unique<Trip>([\.name], [\.name, \.destination])
  let _: [[PartialKeyPath<Trip>]] = unique.constraints
  for property: any SchemaProperty in [index, unique] as [any SchemaProperty] {
    var property = property
    property.name = "a"
    property.originalName = "b"
    property.valueType = Int.self
    let _: [Bool] = [
      property.isAttribute, property.isRelationship, property.isTransient, property.isOptional,
      property.isUnique,
    ]
  }
  let _: String = index.debugDescription + unique.debugDescription
  let _: [String] = [
    Schema.Index<Trip>.CodingKeys.indices.stringValue,
    Schema.Unique<Trip>.CodingKeys.constraints.stringValue,
  ]
}

func stages(_ plan: any SchemaMigrationPlan.Type) -> [MigrationStage] {
  let _: [any PersistentModel.Type] = plan.schemas[0].models
  let _: Schema.Version = plan.schemas[0].versionIdentifier
  let lightweight = MigrationStage.lightweight(fromVersion: NotesV1.self, toVersion: NotesV2.self)
  let custom = MigrationStage.custom(
    fromVersion: NotesV2.self,
    toVersion: NotesV3.self,
    willMigrate: { try $0.save() },
    didMigrate: nil
  )
  return plan.stages + [lightweight, custom]
}
