/// One `SELECT` during its translation: its tables and their aliases.
struct QueryScope {
  /// The first part of the `FROM` clause.
  var from: Fragment
  /// The joins that follow, ordered so that each needs only earlier ones.
  private(set) var joins: [Join] = []
  /// The conditions of the `WHERE` clause, apart from those of its user.
  var conditions: [Fragment] = []
  private var aliases: [JoinKey: String] = [:]

  init(from: Fragment) {
    self.from = from
  }

  private struct JoinKey: Hashable {
    var table: String
    var column: String
    var value: Fragment
  }

  /// A table that is joined.
  struct Join {
    var alias: String
    /// The table that is joined, and the condition.
    var clause: Fragment
    /// Whether rows without a match are left out.
    var isInner: Bool
    /// The row whose column leads to it.
    var parent: String?
  }

  /// The `FROM` clause without its word.
  var source: Fragment {
    joins.reduce(from) { $0 + ($1.isInner ? " JOIN " : " LEFT JOIN ") + $1.clause }
  }

  /// Excludes rows without a match in the join `alias` and in the joins that it depends on.
  ///
  /// SQLite can then begin at the far end of the joins.
  mutating func require(_ alias: String) {
    var next: String? = alias
    while let alias = next, let index = joins.firstIndex(where: { $0.alias == alias }) {
      joins[index].isInner = true
      next = joins[index].parent
    }
  }

  /// Whether only rows count for which there is a row of that name.
  func requires(_ alias: String) -> Bool {
    joins.contains { $0.alias == alias && $0.isInner }
  }

  /// The `FROM` and `WHERE` clauses, the latter with another condition at its end.
  func clauses(and condition: Fragment? = nil) -> Fragment {
    let all = conditions + (condition.map { [$0] } ?? [])
    let clause = " FROM " + source
    guard !all.isEmpty else { return clause }
    return clause + " WHERE " + .joined(all.map(\.parenthesized)[...], by: "AND")
  }

  /// Returns the name of a table if it is joined already where its column has the value.
  func alias(of table: String, where column: String, is value: Fragment) -> String? {
    aliases[JoinKey(table: table, column: column, value: value)]
  }

  /// Joins a table where its column has a value of the row named `parent`.
  mutating func join(
    _ table: String,
    as alias: String,
    where column: String,
    is value: Fragment,
    isInner: Bool,
    parent: String?
  ) {
    aliases[JoinKey(table: table, column: column, value: value)] = alias
    let clause = "\(table) AS \(alias) ON \(alias).\(column) = " + value
    join(clause, as: alias, isInner: isInner, parent: parent)
  }

  /// Joins a table, a sub-select, or a call of a function, as a clause says; nobody else finds it.
  mutating func join(
    _ clause: Fragment,
    as alias: String,
    isInner: Bool = true,
    parent: String? = nil
  ) {
    joins.append(Join(alias: alias, clause: clause, isInner: isInner, parent: parent))
  }
}
