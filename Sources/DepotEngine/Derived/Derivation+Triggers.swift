internal import DepotProtocol

extension Derivation {
  /// The table where triggers mark derived values that may have changed during a request.
  static let staleTable = SpecialTable(
    name: "depot_stale",
    definition: [
      """
      CREATE TABLE depot_stale (attribute TEXT NOT NULL, id INTEGER NOT NULL, \
      PRIMARY KEY (attribute, id)) STRICT, WITHOUT ROWID
      """
    ]
  )

  /// The triggers that mark the rows whose value may have changed with another row.
  ///
  /// From a changed row they follow the path of the expression backwards to them.
  var triggers: SpecialTable {
    var events: [(event: String, select: String)] = []
    events.append(("AFTER INSERT ON \(layout.table)", "SELECT new.id AS id"))
    for (index, node) in nodes.enumerated() {
      let table = node.layout.table
      if !node.columns.isEmpty {
        let columns = node.columns.sorted()
        let change = columns.map { "old.\($0) IS NOT new.\($0)" }.joined(separator: " OR ")
        let event = "AFTER UPDATE OF \(columns.joined(separator: ", ")) ON \(table) WHEN \(change)"
        events.append((event, owners(of: "SELECT new.id AS id", index)))
      }
      events += changes(of: node, index)
    }
    return SpecialTable(
      triggers: events.enumerated().map { number, event in
        SpecialTable.Trigger(
          "d_\(key):\(number)",
          event.event,
          """
          INSERT OR IGNORE INTO depot_stale (attribute, id) \
          SELECT '\(key)', found.id FROM (\(event.select)) AS found WHERE found.id IS NOT NULL;
          """
        )
      }
    )
  }

  /// Returns the events that change a node's rows.
  private func changes(of node: Node, _ index: Int) -> [(event: String, select: String)] {
    guard let (parent, relationship) = node.hop else { return [] }
    let table = node.layout.table
    switch relationship.storage {
    case .column:
      // References to a deleted row may stay.
      return [("AFTER DELETE ON \(table)", owners(of: "SELECT old.id AS id", index))]
    case .foreignColumn(_, let column, let order):
      let columns = node.usesOrder ? [column] + (order.map { [$0] } ?? []) : [column]
      let both = "SELECT old.\(column) AS id UNION SELECT new.\(column)"
      return [
        ("AFTER INSERT ON \(table)", owners(of: "SELECT new.\(column) AS id", parent)),
        ("AFTER DELETE ON \(table)", owners(of: "SELECT old.\(column) AS id", parent)),
        (
          "AFTER UPDATE OF \(columns.joined(separator: ", ")) ON \(table)",
          owners(of: both, parent)
        ),
      ]
    case .join(let join, let near, _, _):
      let added = owners(of: "SELECT new.\(near) AS id", parent)
      let removed = owners(of: "SELECT old.\(near) AS id", parent)
      return [
        ("AFTER INSERT ON \(join)", added), ("AFTER DELETE ON \(join)", removed),
      ] + (node.usesOrder ? [("AFTER UPDATE ON \(join)", added)] : [])
    }
  }

  /// Returns the SELECTs for the rows whose derived value depends, by a reference, on row `?1`.
  func referrers(in root: String) -> [String] {
    nodes.indices.compactMap { index in
      guard case .column? = nodes[index].hop?.1.storage, nodes[index].layout.root == root else {
        return nil
      }
      return owners(of: "SELECT ?1 AS id", index)
    }
  }

  /// Returns the SQL for the rows whose derived value depends on some rows of a node.
  private func owners(of rows: String, _ index: Int) -> String {
    guard let (parent, relationship) = nodes[index].hop else { return rows }
    switch relationship.storage {
    case .column(let column):
      let table = nodes[parent].layout.table
      return owners(of: "SELECT id FROM \(table) WHERE \(column) IN (\(rows))", parent)
    case .foreignColumn(let table, let column, _):
      return owners(of: "SELECT \(column) AS id FROM \(table) WHERE id IN (\(rows))", parent)
    case .join(let join, let near, let far, _):
      return owners(of: "SELECT \(near) AS id FROM \(join) WHERE \(far) IN (\(rows))", parent)
    }
  }
}
