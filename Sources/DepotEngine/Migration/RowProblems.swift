internal import DepotProtocol
internal import DepotSQLite

extension MigrationPlan {
  /// Returns the plan without the problems that no row of the store has.
  func lookingAtRows(of old: Catalog, on connection: Connection) throws -> MigrationPlan {
    if rowProblems.isEmpty { return self }
    let rows = LackingRows(old, MigrationMapping(from: self.old, to: new), connection)
    return try lookingAtRows(rows.areThere)
  }
}

/// The search for rows without a value that the new schema requires.
private struct LackingRows {
  private let old: Catalog
  private let mapping: MigrationMapping
  private let connection: Connection

  init(_ old: Catalog, _ mapping: MigrationMapping, _ connection: Connection) {
    self.old = old
    self.mapping = mapping
    self.connection = connection
  }

  /// Whether there are rows without the value that a step makes required.
  func areThere(_ step: SchemaChange) throws -> Bool {
    switch step {
    case .addedAttribute(let field, let entity, _),
      .changedAttribute(_, let field, let entity, .required):
      try areThere(in: entity) { subentity, layout in
        var conditions = presences(around: field.path, subentity, layout)
        if let source = mapping.source(of: field.path, in: subentity) {
          guard let column = layout.column(of: source.path) else { return nil }
          conditions.append("t.\(column) IS NULL")
        }
        return conditions
      }
    case .addedRelationship(let relationship, let entity):
      try areThere(in: entity) { subentity, _ in
        mapping.source(ofRelationship: relationship.name, in: subentity) == nil ? [] : nil
      }
    default: true
    }
  }

  /// Whether some row of an entity or its descendants satisfies all conditions for its entity.
  ///
  /// Conditions of `nil` are satisfied by no row.
  private func areThere(
    in entity: String,
    _ conditions: (_ subentity: String, EntityLayout) -> [String]?
  ) throws -> Bool {
    try mapping.family(of: entity, in: mapping.new).contains { subentity in
      guard let origin = mapping.origin(of: subentity.name), !origin.isAbstract else {
        return false
      }
      let layout = try old.layout(of: origin.name)
      guard var conditions = conditions(subentity.name, layout) else { return false }
      if let kind = layout.kindCondition(in: "t", includingDescendants: false) {
        conditions.append(kind)
      }
      let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
      return try connection.integer("SELECT 1 FROM \(layout.table) AS t\(filter) LIMIT 1") != nil
    }
  }

  /// The conditions that the optional composites around a path are present.
  private func presences(
    around path: String,
    _ entity: String,
    _ layout: EntityLayout
  ) -> [String] {
    let names = path.split(separator: ".")
    return names.indices.dropFirst().compactMap { count in
      let outer = names.prefix(count).joined(separator: ".")
      guard let source = mapping.source(of: outer, in: entity), source.isPresence else {
        return nil
      }
      return layout.column(of: source.path).map { "t.\($0) = 1" }
    }
  }
}

extension EntityLayout {
  /// Returns the quoted column name of a path.
  fileprivate func column(of path: String) -> String? {
    guard let position = fields.firstIndex(where: { $0.path == path }) else { return nil }
    return storedPositions[position].map { stored[$0].quoted }
  }
}
