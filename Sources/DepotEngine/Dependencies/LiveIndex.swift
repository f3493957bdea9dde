/// An index that finds the watched queries that a commit may affect.
struct LiveIndex {
  /// A node of a query's dependencies.
  struct Interest: Hashable {
    var query: ObjectIdentifier
    var node: Int
  }

  private struct Table {
    /// The queries on rows with named identifiers.
    var byIdentifier: [Int64: Set<Interest>] = [:]
    /// The queries on rows with one value in a column, by the column's index and the value.
    var byKey: [Int: [RowKey: Set<Interest>]] = [:]
    /// The other queries, grouped by equal filters, so that a commit is compared once with a group.
    var byColumnFilter: [QueryDependencies.ColumnFilter: Set<Interest>] = [:]
  }

  private var tables: [String: Table] = [:]
  private var links: [String: Set<Interest>] = [:]

  /// Adds or removes the interests of a query.
  mutating func change(
    _ dependencies: QueryDependencies,
    of query: ObjectIdentifier,
    isAdded: Bool
  ) {
    for (number, node) in dependencies.nodes.enumerated() {
      let interest = Interest(query: query, node: number)
      if number == 0, let identifiers = dependencies.identifiers {
        for identifier in identifiers {
          tables[node.root, default: Table()].byIdentifier.set(interest, of: identifier, isAdded)
        }
      } else if number == 0, let key = dependencies.key {
        tables[node.root, default: Table()]
          .byKey[key.column, default: [:]].set(interest, of: key, isAdded)
      } else {
        let columnFilter = dependencies.columnFilter(node)
        tables[node.root, default: Table()].byColumnFilter.set(interest, of: columnFilter, isAdded)
      }
      if let table = node.origin?.joinTable { links.set(interest, of: table, isAdded) }
    }
  }

  /// Calls `body` for each table and interest with the relevant changes of a commit.
  ///
  /// `linkBody` is called for each interest in changed links.
  func match(
    _ commit: CommittedChanges,
    _ body: (Interest, TableChanges) -> Void,
    links linkBody: (Interest, LinkRows) -> Void
  ) {
    for (root, changes) in commit.tables {
      guard let table = tables[root] else { continue }
      match(changes, table, body)
    }
    for (name, rows) in commit.links {
      for interest in links[name] ?? [] { linkBody(interest, rows) }
    }
  }

  private func match(
    _ changes: TableChanges,
    _ table: Table,
    _ body: (Interest, TableChanges) -> Void
  ) {
    if changes.isMany {
      for interest in table.byIdentifier.values.reduce(into: Set(), { $0.formUnion($1) }) {
        body(interest, changes)
      }
      for interest in table.byColumnFilter.values.joined() { body(interest, changes) }
      for interests in table.byKey.values.flatMap(\.values) {
        for interest in interests { body(interest, changes) }
      }
      return
    }
    for (column, interests) in table.byKey {
      match(changes, column, interests, body)
    }
    if !table.byIdentifier.isEmpty {
      for change in changes.rows {
        for interest in table.byIdentifier[change.identifier] ?? [] {
          body(interest, TableChanges(rows: [change]))
        }
      }
    }
    for (columnFilter, interests) in table.byColumnFilter {
      let rows = changes.rows.filter(columnFilter.lets)
      guard !rows.isEmpty else { continue }
      let relevant = TableChanges(rows: rows)
      for interest in interests { body(interest, relevant) }
    }
  }

  private func match(
    _ changes: TableChanges,
    _ column: Int,
    _ interests: [RowKey: Set<Interest>],
    _ body: (Interest, TableChanges) -> Void
  ) {
    guard changes.keyColumns.contains(column) else {
      // The request began before the values were needed.
      for interest in interests.values.joined() { body(interest, changes) }
      return
    }
    for change in changes.rows {
      for key in Set(change.keys) where key.column == column {
        for interest in interests[key] ?? [] { body(interest, TableChanges(rows: [change])) }
      }
    }
  }
}

extension Dictionary {
  /// Adds a member to the set of a key or removes it, and removes an empty set.
  fileprivate mutating func set<Member>(_ member: Member, of key: Key, _ isMember: Bool)
  where Value == Set<Member> {
    if isMember {
      self[key, default: []].insert(member)
    } else if self[key]?.remove(member) != nil, self[key]?.isEmpty == true {
      self[key] = nil
    }
  }
}
