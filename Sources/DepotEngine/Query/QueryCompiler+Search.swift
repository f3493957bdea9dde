internal import DepotProtocol
internal import DepotSQLite

extension QueryCompiler {
  /// Translates a full-text query on the row, or on the element of the innermost collection.
  ///
  /// Named attributes may be at the end of a path; a path to a relationship means all attributes of
  /// its destination. All words must be in the texts of one row.
  mutating func search(_ words: String, in paths: [String]) throws(DepotError) -> Condition {
    let query = try SearchQuery.read(words)
    let object = searchedRow
    guard !paths.isEmpty else { return try match(query, [], of: object) }
    var conditions: [Fragment] = []
    for group in try grouped(paths, object.layout) {
      let condition: Condition
      switch try follow(group.owner[...], from: object) {
      case .object(let owner):
        condition = try match(query, group.names, of: owner)
      case .collection(let collection):
        let opened = try open(collection)
        guard case .object(let element) = opened.element else {
          throw invalid("Only the texts of rows can be searched for words.")
        }
        let found = try match(query, group.names, of: element)
        condition = exists(opened, and: found.fragment, isIndependent: true)
      default:
        throw invalid("Only the texts of rows can be searched for words.")
      }
      conditions.append(condition.strict.parenthesized)
    }
    return Condition(.joined(conditions[...], by: "OR"))
  }

  /// The row that a full-text query searches.
  private var searchedRow: QueryObject {
    if case .object(let element)? = variables.last?.term { element } else { row }
  }

  private struct SearchGroup {
    var owner: [String]
    /// The attributes; if empty, all searchable ones.
    var names: [String]
  }

  /// Returns paths grouped by their first relationships.
  private func grouped(
    _ paths: [String],
    _ layout: EntityLayout
  ) throws(DepotError) -> [SearchGroup] {
    var groups: [SearchGroup] = []
    for path in paths {
      var rest = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
      var (owner, entity): ([String], EntityLayout) = ([], layout)
      while let first = rest.first, let relationship = entity.relationship(first) {
        entity = try catalog.layout(of: relationship.destination)
        owner.append(first)
        rest.removeFirst()
      }
      let name = rest.joined(separator: ".")
      let names = name.isEmpty ? catalog.searchColumns(of: entity).map(\.path) : [name]
      if let index = groups.firstIndex(where: { $0.owner == owner }) {
        groups[index].names += names
      } else {
        groups.append(SearchGroup(owner: owner, names: names))
      }
    }
    return groups
  }

  private mutating func match(
    _ query: SearchQuery,
    _ names: [String],
    of object: QueryObject
  ) throws(DepotError) -> Condition {
    let table = object.layout.searchTable
    let text = try matchText(query, names, of: object.layout)
    return Condition(
      object.identifier + " IN (SELECT rowid FROM \(table) WHERE \(table) MATCH "
        + .bound(.text(text)) + ")",
      isNullable: object.isNullable
    )
  }

  /// Returns a query in FTS5's syntax, for some attributes or for all searchable ones.
  private func matchText(
    _ query: SearchQuery,
    _ names: [String],
    of layout: EntityLayout
  ) throws(DepotError) -> String {
    let columns = catalog.searchColumns(of: layout)
    guard !columns.isEmpty else {
      throw invalid("\(layout.name) has no searchable attributes.")
        .hint("Give attributes the option \"spotlight\" in the schema.")
    }
    guard !names.isEmpty else { return query.fts5 }
    let wanted = try names.map { name throws(DepotError) in
      if let column = columns.first(where: { $0.path == name }) { return column.name }
      guard layout.position(of: name) != nil else {
        throw DepotError(.unknownAttribute, "\(layout.name) has no attribute \"\(name)\".")
          .hint(Spelling.hint(for: name, in: columns.map(\.path)))
      }
      let list = columns.map(\.path).joined(separator: ", ")
      throw invalid("\(layout.name).\(name) can't be searched for words.")
        .hint("Only attributes with the option \"spotlight\" can: \(list).")
    }
    return query.fts5(in: wanted)
  }

  // MARK: - Rank

  /// Translates the rank of the row for the full-text queries in the request's predicate.
  ///
  /// It is the sum of the ranks of all queries on the row's own texts; null for a row that matches
  /// none.
  mutating func rank() throws(DepotError) -> Operand {
    if rankAliases.isEmpty {
      for case .search(let paths, let words) in searches {
        try joinRanks(of: words, paths)
      }
    }
    guard !rankAliases.isEmpty else {
      throw invalid("There is no full-text query to rank by.")
        .hint("Search for words in the predicate of the same request: SELF MATCHES TEXT \"words\".")
    }
    let ranks = rankAliases.map { "\($0).rank" }
    guard ranks.count > 1 else {
      return makeOperand(.double, Fragment(sql: ranks[0]), isNullable: true)
    }
    let sum = ranks.map { "ifnull(\($0), 0)" }.joined(separator: " + ")
    let value = "iif(coalesce(\(ranks.joined(separator: ", "))) IS NULL, NULL, \(sum))"
    return makeOperand(.double, Fragment(sql: value), isNullable: true)
  }

  private mutating func joinRanks(of words: String, _ paths: [String]) throws(DepotError) {
    let names = try grouped(paths, row.layout).first { $0.owner.isEmpty }?.names
    guard paths.isEmpty || names != nil else { return }
    let text = try matchText(SearchQuery.read(words), names ?? [], of: row.layout)
    let table = row.layout.searchTable
    let alias = nextAlias()
    // The limit prevents SQLite from searching the index again for each row.
    let ranks =
      "(SELECT rowid AS id, -bm25(\(table)) AS rank FROM \(table) WHERE \(table) MATCH "
      + Fragment.bound(.text(text)) + " LIMIT -1)"
    scopes[0].join(ranks + " AS \(alias) ON \(alias).id = t0.id", as: alias, isInner: false)
    rankAliases.append(alias)
  }
}
