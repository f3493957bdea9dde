internal import DepotProtocol

/// The SQL that creates tables and indexes for entities.
///
/// Names are inserted into the text because SQL can't bind them; the schema has checked that they
/// are letters, digits, and underscores.
extension EntityLayout {
  /// The SQL for the table of a root entity, without its indexes.
  var tableDefinition: String { tableDefinition(named: table) }

  /// The SQL for the table with another, quoted name.
  func tableDefinition(named table: String) -> String {
    let columns = stored.map { ", \($0.definition)" }.joined()
    return """
      CREATE TABLE \(table) (id INTEGER PRIMARY KEY, version INTEGER NOT NULL\(columns)) STRICT
      """
  }

  /// The SQL for the indexes and join tables of the entity's own properties, with their names.
  var additions: [(name: String, sql: String)] {
    ownIndexes + joinTables
  }

  var ownIndexes: [(name: String, sql: String)] {
    var result: [(name: String, sql: String)] = []
    for field in fields where field.owner == name {
      if let index = index(of: field) { result.append(index) }
    }
    for unique in uniques where unique.owner == name && entity.uniques.contains(unique.paths) {
      var index = index(unique.paths, prefix: "v", isUnique: true)
      if let kinds = unique.kinds {
        index.sql += " WHERE kind IN (\(kinds.map(String.init).joined(separator: ", ")))"
      }
      result.append(index)
    }
    for list in entity.indexes { result.append(index(list, prefix: "c", isUnique: false)) }
    return result
  }

  /// The SQL for the index of one field, if it has one.
  func index(of field: Field) -> (name: String, sql: String)? {
    guard let place = position(of: field.path).flatMap({ storedPositions[$0] }) else { return nil }
    let column = stored[place].quoted
    if let relationship = field.relationship {
      return index(of: relationship, column)
    }
    if field.attribute.isUnique {
      return create("u_\(name)_\(field.path)", "UNIQUE ", column)
    }
    return field.attribute.isIndexed ? create("i_\(name)_\(field.path)", "", column) : nil
  }

  /// The SQL for the index to find the rows of a relationship, in their order if it is ordered.
  private func index(
    of relationship: Relationship,
    _ column: String
  ) -> (name: String, sql: String) {
    let layout = self.relationship(relationship.name)
    let isOneToOne = layout?.inverse?.isToMany == false && !(layout?.isSelfInverse ?? false)
    let order = stored.first {
      $0.storage == .order && $0.name.dropFirst() == column.dropFirst(2).dropLast()
    }
    let columns = order.map { "\(column), \($0.quoted)" } ?? column
    return create("r_\(name)_\(relationship.name)", isOneToOne ? "UNIQUE " : "", columns)
  }

  func index(
    _ paths: [String],
    prefix: String,
    isUnique: Bool
  ) -> (name: String, sql: String) {
    let columns = paths.compactMap { path in
      position(of: path).flatMap { storedPositions[$0] }.map { stored[$0].quoted }
    }
    // The separator isn't in any path, so no two indexes have the same name.
    let separator = paths.contains { $0.contains(".") } ? "," : "."
    let name = "\(prefix)_\(name)_\(paths.joined(separator: separator))"
    return create(name, isUnique ? "UNIQUE " : "", columns.joined(separator: ", "))
  }

  private func create(
    _ name: String,
    _ kind: String,
    _ columns: String
  ) -> (name: String, sql: String) {
    (name, "CREATE \(kind)INDEX \"\(name)\" ON \(table) (\(columns))")
  }

  /// The SQL for the join tables whose first side is in this entity.
  var joinTables: [(name: String, sql: String)] {
    var result: [(name: String, sql: String)] = []
    for layout in relationships where layout.owner == name {
      guard case .join(let table, let near, _, _) = layout.storage, near == "source" else {
        continue
      }
      var columns = "source INTEGER NOT NULL, target INTEGER NOT NULL"
      if layout.relationship.isOrdered { columns += ", source_order INTEGER NOT NULL" }
      if layout.inverse?.isOrdered == true, !layout.isSelfInverse {
        columns += ", target_order INTEGER NOT NULL"
      }
      let bare = String(table.dropFirst().dropLast())
      result.append(
        (
          bare,
          """
          CREATE TABLE \(table) (\(columns), PRIMARY KEY (source, target)) STRICT, WITHOUT ROWID
          """
        )
      )
      result.append(
        ("t\(bare)", "CREATE INDEX \"t\(bare)\" ON \(table) (target, source)")
      )
    }
    return result
  }
}

extension RelationshipLayout {
  /// Whether the relationship is its own inverse.
  var isSelfInverse: Bool { inverseOwner == owner && inverse?.name == name }
}

extension StoredColumn {
  /// The SQL for the column in its table's definition.
  var definition: String { "\(quoted) \(sqlType)\(isRequired ? " NOT NULL" : "")" }

  /// The SQL that adds the column to an existing table.
  ///
  /// SQLite requires a default for existing rows; they get the attribute's own default afterwards.
  var addition: String { definition + (isRequired ? " DEFAULT \(filler)" : "") }

  /// The type that the table's definition has for the column.
  var sqlType: String {
    switch storage {
    case .scalar(let type):
      switch type {
      case .string, .url: "TEXT"
      case .int64, .bool: "INTEGER"
      case .double, .date: "ANY"
      case .uuid, .data, .decimal: "BLOB"
      case .json, .composite: "ANY"
      }
    case .external, .widened: "ANY"
    case .list, .json: "TEXT"
    case .reference, .order, .kind: "INTEGER"
    }
  }

  private var filler: String {
    switch sqlType {
    case "TEXT": "''"
    case "BLOB": "x''"
    default: "0"
    }
  }
}
