internal import DepotProtocol

/// A schema inferred from the tables of a store without a model.
///
/// The tables have the names of properties in capitals only, so all of them are lowercase here. The
/// destination of a relationship is found by its name, or by the keys in its rows.
struct AppleInference {
  private let tables: AppleTables

  init(_ tables: AppleTables) { self.tables = tables }

  /// Returns the schema.
  func schema() throws -> Schema {
    var keys: [String: Set<Int64>] = [:]
    for table in Set(tables.entities.map(\.table)) { keys[table] = try numbers("Z_PK", table) }
    var schema = Schema()
    for entity in tables.entities {
      let parent = tables.entities.first { $0.number == entity.parent }
      var result = Entity(name: entity.name, parent: parent?.name, attributes: [])
      // Columns of subentities can't be assigned to one of them, so the root entity gets all.
      if parent == nil {
        for (column, kind) in try kinds(entity.table) {
          let name = column.dropFirst().lowercased()
          let numbers = kind == .int64 ? try numbers(column, entity.table) : nil
          if let numbers, let other = destination(of: column, numbers, keys) {
            result.relationships.append(Relationship(name: name, destination: other))
          } else {
            result.attributes.append(Attribute(name: name, type: kind, isOptional: true))
          }
        }
      }
      schema.entities.append(result)
    }
    for join in AppleJoin.all(in: tables) {
      guard let source = schema.entities.firstIndex(where: { $0.name == join.source.name }) else {
        continue
      }
      schema.entities[source].relationships.append(
        Relationship(
          name: join.name.lowercased(),
          destination: join.destination.name,
          isToMany: true,
          isOrdered: join.order != nil
        )
      )
    }
    return schema
  }

  /// Returns the types of the columns that programs use.
  private func kinds(_ table: String) throws -> [(String, AttributeType)] {
    var kinds: [(name: String, type: AttributeType)] = []
    for column in tables.columns(of: table)
    where column.name.hasPrefix("Z") && !column.name.hasPrefix("Z_") && column.name.count > 1
      && !isKind(column.name)
    {
      let type: AttributeType
      switch column.type.uppercased() {
      case "TIMESTAMP": type = .date
      case "FLOAT", "REAL", "DOUBLE": type = .double
      case "DECIMAL": type = .decimal
      case "BLOB": type = .data
      case "INTEGER": type = .int64
      default: type = .string
      }
      kinds.append((column.name, type))
    }
    var sizes: [String: Set<Int>] = [:]
    try tables.rows(table) { row in
      for (name, type) in kinds where type == .data {
        if let data = row[name]?.data { sizes[name, default: []].insert(data.count) }
      }
    }
    return kinds.map { ($0.name, sizes[$0.name] == [16] ? .uuid : $0.type) }
  }

  /// Whether a column has the entity number of another column's row, as Z3_OWNER does for ZOWNER.
  private func isKind(_ column: String) -> Bool {
    let digits = column.dropFirst().prefix { $0.isNumber }
    return !digits.isEmpty && column.dropFirst(1 + digits.count).first == "_"
  }

  private func numbers(_ column: String, _ table: String) throws -> Set<Int64> {
    var found: Set<Int64> = []
    try tables.rows(table) { if let key = $0[column]?.integer { found.insert(key) } }
    return found
  }

  private func destination(
    of column: String,
    _ numbers: Set<Int64>,
    _ keys: [String: Set<Int64>]
  ) -> String? {
    let name = String(column.dropFirst())
    let named = tables.entities.first { $0.name.uppercased() == name }
    // As in a column ZCATEGORY that refers to BookCategory, if no other entity has such a name.
    let alike = tables.entities.filter { $0.name.uppercased().hasSuffix(name) }
    guard let found = named ?? (alike.count == 1 ? alike[0] : nil),
      numbers.isSubset(of: keys[found.table] ?? [])
    else { return nil }
    return found.name
  }
}
