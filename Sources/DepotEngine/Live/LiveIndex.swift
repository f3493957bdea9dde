/// Which watched queries a commit may concern, found without looking at the others.
struct LiveIndex {
  /// A node of a query's dependencies.
  struct Interest: Hashable {
    var query: ObjectIdentifier
    var node: Int
  }

  /// What the interests of a table share, so that one look at a commit serves all of them.
  private struct Sieve: Hashable {
    var places: PlaceSet
    var readsEverything: Bool
    var numbers: Set<Int>

    func lets(_ change: RowChange) -> Bool {
      guard numbers.contains(change.entityNumber) else { return false }
      return readsEverything || change.kind != .update
        || !change.places.isDisjoint(with: places)
    }
  }

  private struct Table {
    /// The queries about rows whose identifiers they name.
    var byIdentifier: [Int64: Set<ObjectIdentifier>] = [:]
    /// The queries about rows with one value in a column, by the column's place and the value.
    var byKey: [Int: [RowKey: Set<Interest>]] = [:]
    var bySieve: [Sieve: Set<Interest>] = [:]
  }

  private var tables: [String: Table] = [:]
  private var links: [String: Set<Interest>] = [:]

  mutating func add(_ dependencies: QueryDependencies, of query: ObjectIdentifier) {
    for (number, node) in dependencies.nodes.enumerated() {
      let interest = Interest(query: query, node: number)
      if number == 0, let identifiers = dependencies.identifiers {
        for identifier in identifiers {
          tables[node.root, default: Table()].byIdentifier[identifier, default: []].insert(query)
        }
      } else if number == 0, let key = dependencies.key {
        tables[node.root, default: Table()]
          .byKey[key.place, default: [:]][key, default: []].insert(interest)
      } else {
        let sieve = Self.sieve(node, dependencies)
        tables[node.root, default: Table()].bySieve[sieve, default: []].insert(interest)
      }
      if let table = node.link?.joinTable { links[table, default: []].insert(interest) }
    }
  }

  mutating func remove(_ dependencies: QueryDependencies, of query: ObjectIdentifier) {
    for (number, node) in dependencies.nodes.enumerated() {
      let interest = Interest(query: query, node: number)
      if number == 0, let identifiers = dependencies.identifiers {
        for identifier in identifiers {
          tables[node.root]?.byIdentifier[identifier]?.remove(query)
          if tables[node.root]?.byIdentifier[identifier]?.isEmpty == true {
            tables[node.root]?.byIdentifier[identifier] = nil
          }
        }
      } else if number == 0, let key = dependencies.key {
        tables[node.root]?.byKey[key.place]?[key]?.remove(interest)
        if tables[node.root]?.byKey[key.place]?[key]?.isEmpty == true {
          tables[node.root]?.byKey[key.place]?[key] = nil
        }
        if tables[node.root]?.byKey[key.place]?.isEmpty == true {
          tables[node.root]?.byKey[key.place] = nil
        }
      } else {
        let sieve = Self.sieve(node, dependencies)
        tables[node.root]?.bySieve[sieve]?.remove(interest)
        if tables[node.root]?.bySieve[sieve]?.isEmpty == true {
          tables[node.root]?.bySieve[sieve] = nil
        }
      }
      if let table = node.link?.joinTable { links[table]?.remove(interest) }
    }
  }

  private static func sieve(
    _ node: QueryDependencies.Node,
    _ dependencies: QueryDependencies
  ) -> Sieve {
    let readsEverything = node.readsEverything || dependencies.isOpaque
    return Sieve(
      places: readsEverything ? PlaceSet() : node.places,
      readsEverything: readsEverything,
      numbers: node.numbers
    )
  }

  /// Finds what a commit may concern.
  ///
  /// - Parameters:
  ///   - commit: The commit.
  ///   - body: Is called for each table and interest with what of the table's changes may matter.
  ///   - linkBody: Is called for each interest in links that changed.
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
      for query in table.byIdentifier.values.reduce(into: Set(), { $0.formUnion($1) }) {
        body(Interest(query: query, node: 0), changes)
      }
      for interest in table.bySieve.values.joined() { body(interest, changes) }
      for interests in table.byKey.values.flatMap(\.values) {
        for interest in interests { body(interest, changes) }
      }
      return
    }
    for (place, interests) in table.byKey {
      match(changes, place, interests, body)
    }
    if !table.byIdentifier.isEmpty {
      for change in changes.rows {
        for query in table.byIdentifier[change.identifier] ?? [] {
          body(Interest(query: query, node: 0), TableChanges(rows: [change]))
        }
      }
    }
    for (sieve, interests) in table.bySieve {
      let rows = changes.rows.filter(sieve.lets)
      guard !rows.isEmpty else { continue }
      let relevant = TableChanges(rows: rows)
      for interest in interests { body(interest, relevant) }
    }
  }

  private func match(
    _ changes: TableChanges,
    _ place: Int,
    _ interests: [RowKey: Set<Interest>],
    _ body: (Interest, TableChanges) -> Void
  ) {
    guard changes.keyPlaces.contains(place) else {
      // The request began before anybody asked for the values.
      for interest in interests.values.joined() { body(interest, changes) }
      return
    }
    for change in changes.rows {
      for key in Set(change.keys) where key.place == place {
        for interest in interests[key] ?? [] { body(interest, TableChanges(rows: [change])) }
      }
    }
  }
}
