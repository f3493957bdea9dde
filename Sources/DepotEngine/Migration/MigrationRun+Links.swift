internal import DepotProtocol
internal import DepotSQLite

/// Collects the links of a relationship of the new schema.
extension LinkMigration {
  /// The SQL that creates the temporary table for the links.
  var pairsDefinition: String {
    """
    CREATE TABLE \(pairs) (near INTEGER NOT NULL, far INTEGER NOT NULL, near_order INTEGER, \
    far_order INTEGER, PRIMARY KEY (near, far)) STRICT, WITHOUT ROWID
    """
  }

  /// Selects links with their orders; those without an order are ordered by identifier.
  fileprivate func ordered(_ pairs: String) -> String {
    let gap = ChangeSession.orderGap
    return """
      SELECT near, far, \
      row_number() OVER (PARTITION BY near ORDER BY near_order IS NULL, near_order, far) * \(gap), \
      row_number() OVER (PARTITION BY far ORDER BY far_order IS NULL, far_order, near) * \(gap) \
      FROM (SELECT near, far, min(near_order) AS near_order, min(far_order) AS far_order \
      FROM (\(pairs)) GROUP BY near, far)
      """
  }
}

extension MigrationRun {
  /// Collects the links of a relationship of the new schema from the old tables.
  func fillPairs(of link: LinkMigration) throws {
    guard !link.sources.isEmpty else { return }
    var queries: [String] = []
    for source in link.sources {
      try noteDeparted(source, of: link)
      let pairs = try source.layout.pairs(isReversed: source.isReversed, in: old)
      let conditions =
        [link.near[source]?.condition("near"), link.far[source]?.condition("far")]
        .compactMap { $0 }
      let limit = options.rowLimit.map { " LIMIT \($0)" } ?? ""
      let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
      let moved =
        "SELECT near + \(source.nearShift) AS near, far + \(source.farShift) AS far, near_order, "
        + "far_order FROM (SELECT * FROM (\(pairs))\(filter)\(limit))"
      queries.append(moved)
      if link.layout.isSelfInverse, !source.layout.isSelfInverse {
        queries.append(
          "SELECT far, near, far_order, near_order FROM (\(moved))"
        )
      }
    }
    let all = queries.joined(separator: " UNION ALL ")
    try connection.execute("INSERT INTO \(link.pairs) \(link.ordered(all))")
    if link.isToOne { try settle(link, "near", link.layout.owner, link.layout.name) }
    if link.isFromOne, let owner = link.layout.inverseOwner, let name = link.layout.inverse?.name {
      try settle(link, "far", owner, name)
    }
  }

  /// Reports the rows with destinations that are no longer allowed for the relationship.
  private func noteDeparted(_ source: LinkMigration.Source, of link: LinkMigration) throws {
    guard !options.isLenient, let side = link.far[source], !side.departed.isEmpty else {
      return
    }
    let pairs = try source.layout.pairs(isReversed: source.isReversed, in: old)
    let numbers = side.departed.map(String.init).joined(separator: ", ")
    let found = try connection.statement(
      """
      SELECT near, far FROM (\(pairs)) WHERE far IN \
      (SELECT id FROM \(side.table) WHERE kind IN (\(numbers))) ORDER BY 1, 2
      """
    ).rows { ($0.integer(0), $0.integer(1)) }
    let (owner, name) = (link.layout.owner, link.layout.name)
    for (near, far) in found {
      findings.add(
        .reference,
        owner,
        near,
        name,
        "\(owner)/\(near).\(name) leads to row \(far), which is no \(link.layout.destination) any more."
      )
    }
  }

  /// Reports the rows that have several destinations for a to-one relationship.
  ///
  /// In a custom migration they get none for now.
  private func settle(
    _ link: LinkMigration,
    _ column: String,
    _ entity: String,
    _ name: String
  ) throws {
    let found = try connection.statement(
      """
      SELECT \(column), count(*) FROM \(link.pairs) GROUP BY \(column) HAVING count(*) > 1 \
      ORDER BY 1
      """
    ).rows { ($0.integer(0), $0.integer(1)) }
    for (row, count) in found {
      if !options.isLenient {
        let identifier = try original(row, of: entity)
        findings.add(
          .count,
          entity,
          identifier,
          name,
          "\(entity)/\(identifier).\(name) leads to \(count) rows, and may lead to one."
        )
      }
      try connection.statement("DELETE FROM \(link.pairs) WHERE \(column) = ?1")
        .run([.integer(row)])
    }
  }

  /// Writes the links into a join table, if there is one, and drops their temporary table.
  func fillJoinTable(of link: LinkMigration) throws {
    defer { connection.forgetStatements() }
    if case .join(let name, _, _, _) = link.layout.storage {
      let owner = try new.layout(of: link.layout.owner)
      let bare = name.dropFirst().dropLast()
      for part in owner.joinTables where part.name == bare { try connection.execute(part.sql) }
      let orders = (
        source: link.layout.relationship.isOrdered,
        target: !link.layout.isSelfInverse && link.layout.inverse?.isOrdered == true
      )
      let table = JoinTable(name, isOrdered: orders, connection: connection)
      try connection.statement("SELECT * FROM \(link.pairs)").run { row in
        try didSee(rows: 1)
        _ = try table.insert(
          row.integer(0),
          row.integer(1),
          orders.source ? row.integer(2) : nil,
          orders.target ? row.integer(3) : nil
        )
      }
    }
    connection.forgetStatements()
    try connection.execute("DROP TABLE \(link.pairs)")
  }

  /// The join tables that stay: their old and new quoted names.
  var keptJoinTables: [(old: String, new: String)] {
    links.compactMap { link in
      guard link.isKept, case .join(let new, _, _, _) = link.layout.storage,
        case .join(let old, _, _, _)? = link.sources.first?.layout.storage
      else { return nil }
      return (old, new)
    }
  }

  /// Renames the join tables that stay.
  func renameJoinTables(
    _ names: (_ old: String, _ new: String, _ temporary: String) -> (String, String)
  ) throws {
    for (index, table) in keptJoinTables.enumerated() where table.old != table.new {
      let (from, to) = names(table.old, table.new, "\"m_join_\(index)\"")
      try connection.execute("ALTER TABLE \(from) RENAME TO \(to)")
    }
  }
}

extension LinkMigration.Side {
  /// The condition that a row stays on the side; it is also true for a missing row.
  fileprivate func condition(_ column: String) -> String {
    let numbers = kinds.map(String.init).joined(separator: ", ")
    return "\(column) NOT IN (SELECT id FROM \(table) WHERE kind NOT IN (\(numbers)))"
  }
}
