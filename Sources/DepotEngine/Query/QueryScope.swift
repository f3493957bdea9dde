/// One `SELECT` while its parts are being translated: what it selects from, and under which names.
struct QueryScope {
  /// What comes first in the `FROM` clause.
  var from: Fragment
  /// The joins that follow, in an order in which each needs only what is before it.
  private(set) var joins: [Fragment] = []
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

  /// The `FROM` clause without its word.
  var source: Fragment { joins.reduce(from, +) }

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

  /// Joins a table where its column has a value.
  ///
  /// - Parameters:
  ///   - table: The table, as SQL.
  ///   - alias: Its name in this statement.
  ///   - column: The column.
  ///   - value: The value.
  ///   - isInner: Whether rows without a match are left out.
  mutating func join(
    _ table: String,
    as alias: String,
    where column: String,
    is value: Fragment,
    isInner: Bool
  ) {
    aliases[JoinKey(table: table, column: column, value: value)] = alias
    let word = isInner ? "JOIN" : "LEFT JOIN"
    joins.append(" \(word) \(table) AS \(alias) ON \(alias).\(column) = " + value)
  }

  /// Joins the rows of a table whose column has a value, each of which counts.
  mutating func joinAll(
    _ table: String,
    as alias: String,
    where column: String,
    is value: Fragment
  ) {
    joins.append(" JOIN \(table) AS \(alias) ON \(alias).\(column) = " + value)
  }

  /// Joins a table-valued function.
  mutating func join(_ call: Fragment, as alias: String) {
    joins.append(" JOIN " + call + " AS \(alias)")
  }
}
