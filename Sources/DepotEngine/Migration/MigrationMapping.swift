internal import DepotProtocol
internal import FoundationEssentials

/// The old entities, columns, and relationships for a new schema.
struct MigrationMapping {
  let old: Schema
  let new: Schema
  private let origins: [String: String]
  private let successors: [String: String]
  private let fields: [String: [String: FieldSuccession]]
  private let relationships: [String: [String: Declared<Relationship>]]
  private let fills: [String: Value]

  /// Maps two schemas to each other.
  ///
  /// A column that can't be converted is new and empty; the plan then has a problem, unless the
  /// column is derived.
  init(from old: Schema, to new: Schema) {
    self.old = old
    self.new = new
    let inference = SchemaInference(from: old, to: new)
    let origins = inference.origins
    self.origins = origins
    let successors = Dictionary(origins.map { ($0.value, $0.key) }) { first, _ in first }
    self.successors = successors
    var fields: [String: [String: FieldSuccession]] = [:]
    for (entity, attributes) in inference.attributes {
      for attribute in attributes {
        for field in FieldSuccession.all(attribute) {
          guard let after = field.new else { continue }
          var field = field
          if let before = field.old, !before.isConvertible(to: after) { field.old = nil }
          fields[entity, default: [:]][after.path] = field
        }
      }
    }
    self.fields = fields
    var relationships: [String: [String: Declared<Relationship>]] = [:]
    for (entity, list) in inference.relationships {
      for relationship in list {
        guard let before = relationship.old, let after = relationship.new else { continue }
        let destination = successors[before.property.destination].flatMap { new[$0] }
        // A relationship to another destination can't be kept; the plan then has a problem.
        guard let destination,
          new.lineage(of: destination).contains(where: { $0.name == after.property.destination })
        else { continue }
        relationships[entity, default: [:]][after.name] = before
      }
    }
    self.relationships = relationships
    var fills: [String: Value] = [:]
    for finding in inference.findings {
      switch finding.change {
      case .addedAttribute(let field, let entity, let fill): fills["\(entity).\(field.path)"] = fill
      case .changedAttribute(_, let field, let entity, .required(let fill)):
        fills["\(entity).\(field.path)"] = fill
      default: break
      }
    }
    self.fills = fills
  }

  /// Returns the old entity of a new one, or `nil` if it is added.
  func origin(of entity: String) -> Entity? { origins[entity].flatMap { old[$0] } }

  /// Returns the new entity of an old one, or `nil` if it was removed.
  func successor(of entity: String) -> Entity? { successors[entity].flatMap { new[$0] } }

  /// Returns the old column for a column of `entity`, or `nil` if it is new for its rows.
  func source(of path: String, in entity: String) -> Field? { fields[entity]?[path]?.old }

  /// Whether a column of an entity's rows could be null and must no longer be.
  func isNewlyRequired(_ path: String, in entity: String) -> Bool {
    fields[entity]?[path]?.isNewlyRequired == true
  }

  /// Returns the old relationship for one of `entity`, or `nil` if it is new for its rows.
  func source(ofRelationship name: String, in entity: String) -> Declared<Relationship>? {
    relationships[entity]?[name]
  }

  /// Returns the value for rows of `entity` in a new or newly required column.
  func fill(of field: Field, in entity: Entity) -> Value {
    for teller in new.lineage(of: entity).reversed() {
      if let value = fills["\(teller.name).\(field.path)"], !value.isNull { return value }
    }
    if let value = field.attribute.defaultValue { return value }
    // A derived value is computed later; until then a required column needs a placeholder.
    guard field.attribute.derivation != nil, !field.attribute.isOptional else { return .null }
    return field.attribute.type.placeholder
  }

  /// Returns an entity and its descendants.
  func family(of entity: String, in schema: Schema) -> [Entity] {
    (schema[entity].map { [$0] } ?? []) + schema.descendants(of: entity)
  }
}

extension Field {
  /// Whether each value of the column can be converted to another column's type.
  fileprivate func isConvertible(to other: Field) -> Bool {
    isPresence || attribute.widening(to: other.attribute) != .impossible
  }
}

extension AttributeType {
  /// A placeholder for a value that is computed later.
  fileprivate var placeholder: Value {
    switch self {
    case .bool: .bool(false)
    case .double: .double(0)
    case .string, .url: .string("")
    case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
    case .decimal: .decimal(0)
    case .json: .json("null")
    case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    case .data: .data(Data())
    case .int64, .composite: .int64(0)
    }
  }
}
