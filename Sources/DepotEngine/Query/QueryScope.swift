/// A `SELECT` during its translation: its tables and their aliases.
struct QueryScope {
  /// The first table of the `FROM` clause.
  var from: Fragment
  /// The joins, ordered so that each needs only earlier ones.
  private(set) var joins: [Join] = []
  /// The conditions of the `WHERE` clause, without the ones that the user adds.
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

  /// A joined table.
  struct Join {
    var alias: String
    /// The table and the condition of the join.
    var clause: Fragment
    /// Whether rows without a match are excluded.
    var isInner: Bool
    /// The alias of the row whose column refers to it.
    var parent: String?
  }

  /// The `FROM` clause, without the keyword.
  var source: Fragment {
    joins.reduce(from) { $0 + ($1.isInner ? " JOIN " : " LEFT JOIN ") + $1.clause }
  }

  /// Excludes rows without a match in the join `alias` and in the joins that it depends on.
  ///
  /// SQLite can then start with the last joined table.
  mutating func require(_ alias: String) {
    var next: String? = alias
    while let alias = next, let index = joins.firstIndex(where: { $0.alias == alias }) {
      joins[index].isInner = true
      next = joins[index].parent
    }
  }

  /// Whether rows without a match in the join of that alias are excluded.
  func requires(_ alias: String) -> Bool {
    joins.contains { $0.alias == alias && $0.isInner }
  }

  /// The `FROM` and `WHERE` clauses, the latter with an additional condition.
  func clauses(and condition: Fragment? = nil) -> Fragment {
    let all = conditions + (condition.map { [$0] } ?? [])
    let clause = " FROM " + source
    guard !all.isEmpty else { return clause }
    return clause + " WHERE " + .joined(all.map(\.parenthesized)[...], by: "AND")
  }

  /// Returns the alias of a table that is already joined with this column and value.
  func alias(of table: String, where column: String, is value: Fragment) -> String? {
    aliases[JoinKey(table: table, column: column, value: value)]
  }

  /// Joins a table whose column equals a value of the row `parent`.
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

  /// Joins a table, a subquery, or a function call by a clause; this join is never shared.
  mutating func join(
    _ clause: Fragment,
    as alias: String,
    isInner: Bool = true,
    parent: String? = nil
  ) {
    joins.append(Join(alias: alias, clause: clause, isInner: isInner, parent: parent))
  }
}
