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
    /// A text or data, or a reference to one that is too large for the row.
    case widened(AttributeType)
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
  var isExternal: Bool { externalType != nil }

  /// Whether only large values are outside the row.
  var isWidened: Bool { if case .widened = storage { true } else { false } }

  /// The type of the values outside the row; `nil` if there can't be any.
  var externalType: AttributeType? {
    switch storage {
    case .external(let type), .widened(let type): type
    default: nil
    }
  }

  /// SQLite's type of references in the column, which differs from the type of values.
  var referenceType: String { externalType == .string ? "blob" : "text" }

  /// Returns the condition that a value of the column is a reference.
  func isReference(_ value: String) -> String { "typeof(\(value)) = '\(referenceType)'" }
}

extension Schema {
  /// Returns the root entity of an entity, whose table holds the entity's rows.
  func root(of entity: Entity) -> Entity { lineage(of: entity)[0] }

  /// Returns the columns that an entity adds to its table.
  func storedColumns(of entity: Entity, _ map: StorageMap) -> [StoredColumn] {
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
            ? .list(attribute.type)
            : attribute.type == .json
              ? .json
              : map.isWidened(field) ? .widened(attribute.type) : .scalar(attribute.type)
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
