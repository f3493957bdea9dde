internal import DepotProtocol

/// A column of an entity's table, besides the columns of every table.
struct StoredColumn: Hashable, Sendable {
  /// The column's name in SQL, unquoted.
  var name: String
  var storage: Storage
  /// Whether SQLite requires a value.
  var isRequired: Bool = false

  /// The form of the values in SQLite.
  enum Storage: Hashable, Sendable {
    case scalar(AttributeType)
    /// A reference to a text or data stored outside the row.
    case external(AttributeType)
    /// A JSON array of scalars.
    case list(AttributeType)
    case json
    /// The identifier of a row.
    case reference
    /// The position of a row in an ordered relationship.
    case order
    /// The number of the row's entity.
    case kind
  }

  /// The name, quoted.
  var quoted: String { "\"\(name)\"" }

  /// Whether the column holds references to values outside the row.
  var isExternal: Bool { if case .external = storage { true } else { false } }
}

extension Schema {
  /// Returns the root entity of an entity, whose table holds the entity's rows.
  func root(of entity: Entity) -> Entity { lineage(of: entity)[0] }

  /// Returns the columns that an entity adds to its table.
  func storedColumns(of entity: Entity) -> [StoredColumn] {
    let isRoot = entity.parent == nil
    var columns: [StoredColumn] = []
    for field in entity.ownFields {
      let attribute = field.attribute
      if let relationship = field.relationship {
        guard holdsIdentifier(relationship, of: entity.name) else { continue }
        columns.append(
          StoredColumn(name: columnName("r", relationship.name, entity), storage: .reference)
        )
      } else if !attribute.options.contains(.ephemeral) {
        let storage: StoredColumn.Storage =
          attribute.options.contains(.externalStorage)
          ? .external(attribute.type)
          : attribute.collection != nil
            ? .list(attribute.type) : attribute.type == .json ? .json : .scalar(attribute.type)
        columns.append(
          StoredColumn(
            name: columnName("a", field.path, entity),
            storage: storage,
            isRequired: isRoot && !attribute.isOptional && attribute.derivation == nil
          )
        )
      }
    }
    for relationship in entity.relationships where !relationship.isToMany {
      guard let inverse = inverse(of: relationship)?.relationship, inverse.isToMany,
        inverse.isOrdered
      else {
        continue
      }
      columns.append(
        StoredColumn(name: columnName("o", relationship.name, entity), storage: .order)
      )
    }
    return columns
  }

  /// Returns the name of a property's column, with the entity's name unless the entity is a root.
  ///
  /// Otherwise properties of two descendants in the same table could have the same column.
  func columnName(_ prefix: String, _ path: String, _ entity: Entity) -> String {
    entity.parent == nil ? "\(prefix)_\(path)" : "\(prefix)_\(entity.name):\(path)"
  }
}
