internal import DepotProtocol
internal import DepotSQLite

/// Creates the indexes of the new schema, and checks uniqueness and numbers of destinations.
extension MigrationRun {
  /// The names of the old tables that stay, with unchanged table and column names.
  var unmovedTables: Set<String> {
    Set(
      tables.compactMap { table in
        table.targets.first.flatMap {
          let staysSo = $0.root.name == table.old.name && $0.origins.allSatisfy { $0 == $1 }
          return $0.isKept && staysSo ? $0.root.name : nil
        }
      }
    )
  }

  /// The indexes of a schema's tables by name, including join tables.
  static func indexes(of catalog: Catalog) -> [String: TableIndex] {
    var result: [String: TableIndex] = [:]
    for layout in catalog.allLayouts {
      for index in layout.ownIndexes {
        result[index.name] = TableIndex(root: layout.root, sql: index.sql)
      }
      for part in layout.joinTables where part.sql.hasPrefix("CREATE INDEX") {
        result[part.name] = TableIndex(root: nil, sql: part.sql)
      }
    }
    return result
  }

  /// The indexes of a store's tables by name, including join tables.
  private static func indexes(on connection: Connection) throws -> [String: TableIndex] {
    var result: [String: TableIndex] = [:]
    try connection.statement(
      """
      SELECT name, tbl_name, sql FROM sqlite_schema \
      WHERE type = 'index' AND sql IS NOT NULL AND tbl_name GLOB '[ej]_*'
      """
    ).run { row in
      let table = row.text(1)
      let root = table.hasPrefix("e_") ? String(table.dropFirst(2)) : nil
      result[row.text(0)] = TableIndex(root: root, sql: row.text(2))
    }
    return result
  }

  /// Returns whether an index of the store equals one of the new schema.
  private func stays(_ name: String) -> Bool {
    guard let before = indexesBefore[name], before == indexesAfter[name] else { return false }
    guard let root = before.root else {
      return keptJoinTables.contains { $0.old == $0.new && $0.old == "\"\(name.dropFirst())\"" }
    }
    return unmoved.contains(root)
  }

  /// Drops the indexes that aren't in the new schema.
  func dropIndexes() throws {
    indexesBefore = try Self.indexes(on: connection)
    for (name, entry) in indexesBefore.sorted(by: { $0.key < $1.key }) where !stays(name) {
      // The indexes of a table whose rows move may still be used until it is dropped.
      guard isInStayingTable(entry.root, name) else { continue }
      try connection.execute("DROP INDEX \"\(name)\"")
    }
  }

  private func isInStayingTable(_ root: String?, _ name: String) -> Bool {
    guard let root else {
      return keptJoinTables.contains { "t\($0.old.dropFirst().dropLast())" == name }
    }
    return tables.contains { $0.old.name == root && $0.targets.first?.isKept == true }
  }

  /// Creates new and changed indexes, and reports rows that aren't unique.
  func makeIndexes() throws {
    for layout in new.allLayouts {
      let joins = layout.joinTables.filter { $0.sql.hasPrefix("CREATE INDEX") }
      for index in layout.ownIndexes + joins {
        try control.check()
        if stays(index.name) { continue }
        do {
          try connection.execute(index.sql)
        } catch {
          guard error.kind == .unique else { throw error }
          try noteDuplicates(index.name, layout)
        }
      }
    }
  }

  /// Reports the rows that prevent a unique index.
  private func noteDuplicates(_ index: String, _ layout: EntityLayout) throws {
    let unique = layout.uniques.first { unique in
      unique.owner == layout.name
        && (index == "u_\(layout.name)_\(unique.paths[0])" && unique.paths.count == 1
          || index == layout.index(unique.paths, prefix: "v", isUnique: true).name)
    }
    let paths = unique?.paths ?? [String(index.dropFirst("r_\(layout.name)_".count))]
    let columns = paths.compactMap { path in
      layout.position(of: path).flatMap { layout.storedPositions[$0] }
    }
    let names = columns.map { layout.stored[$0].quoted }
    let attributes = paths.compactMap {
      layout.position(of: $0).map { layout.fields[$0].attribute }
    }
    let list = names.joined(separator: ", ")
    let condition =
      names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ") + (unique?.kindCondition ?? "")
    let statement = try connection.statement(
      """
      WITH t AS MATERIALIZED (SELECT \(list), count(*) AS n, count(*) OVER () AS total \
      FROM \(layout.table) WHERE \(condition) GROUP BY \(list) HAVING count(*) > 1 \
      ORDER BY \(list) LIMIT \(MigrationFindings.limit)) \
      SELECT \(list), n, total, (SELECT group_concat(id) FROM (SELECT id FROM \(layout.table) AS x \
      WHERE \(names.map { "x.\($0) = t.\($0)" }.joined(separator: " AND "))\(unique?.kindCondition ?? "") \
      ORDER BY id LIMIT 20)) FROM t
      """
    )
    var (total, told) = (0, 0)
    try connection.stoppable(by: control) {
      try statement.run { row in
        let values = attributes.enumerated().map { index, attribute in
          StoredValue.decode(Cell(row, index), of: attribute) ?? .null
        }
        total = Int(row.integer(names.count + 1))
        told += 1
        findings.add(
          MigrationFindings.Duplicate(
            entity: layout.name,
            paths: paths,
            values: values,
            identifiers: row.text(names.count + 2).split(separator: ",").compactMap {
              Int64($0).map { shifts.original($0, in: layout.root) }
            },
            count: Int(row.integer(names.count))
          )
        )
      }
    }
    control.noteScanned(rows: statement.take(.scannedRows))
    findings.count(total - told)
  }

  /// Reports the rows with too few or too many destinations.
  func checkTargets() throws {
    for layout in new.allLayouts {
      for link in layout.relationships
      where link.owner == layout.name && link.relationship.isLimited {
        try checkTargets(link, layout)
      }
    }
  }

  private func checkTargets(_ link: RelationshipLayout, _ layout: EntityLayout) throws {
    let relationship = link.relationship
    let least = relationship.isToMany ? relationship.minCount : 1
    let most = relationship.isToMany && relationship.maxCount > 0 ? relationship.maxCount : Int.max
    let count =
      switch link.storage {
      case .column(let column): "(\(column) IS NOT NULL)"
      case .foreignColumn(let table, let column, _):
        "(SELECT count(*) FROM \(table) AS x WHERE x.\(column) = t.id)"
      case .join(let table, let near, _, _):
        "(SELECT count(*) FROM \(table) AS x WHERE x.\(near) = t.id)"
      }
    let condition = layout.kindCondition(in: "t", includingDescendants: true) ?? "1"
    let found = try connection.statement(
      """
      SELECT id, n FROM (SELECT id, \(count) AS n FROM \(layout.table) AS t WHERE \(condition)) \
      WHERE n < \(least) OR n > \(most) ORDER BY id LIMIT \(10 * MigrationFindings.limit)
      """
    ).rows { ($0.integer(0), $0.integer(1)) }
    for (stored, count) in found {
      let row = shifts.original(stored, in: layout.root)
      let demand =
        relationship.isToMany
        ? count < least ? "at least \(least)" : "at most \(most)" : "a row"
      findings.add(
        relationship.isToMany ? .count : .required,
        layout.name,
        row,
        link.name,
        "\(layout.name)/\(row).\(link.name) must lead to \(demand), not to \(count)."
      )
    }
  }
}

/// An index of one of the schemas.
struct TableIndex: Equatable {
  /// The root entity of the index's table; `nil` for a join table.
  var root: String?
  var sql: String
}
