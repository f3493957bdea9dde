internal import DepotProtocol
internal import DepotSQLite

/// A piece of SQL with the values of its `?` parameters in order.
struct Fragment: Hashable {
  var sql: String
  var parameters: [SQLiteValue] = []

  static let `true` = Fragment(sql: "1")
  static let `false` = Fragment(sql: "0")

  /// The condition that a row is in a list of identifiers, which is bound later.
  static let isListed = Fragment(
    sql: "t0.id IN (SELECT value FROM depot_each(?, 0))",
    parameters: [.null]
  )

  static func bound(_ value: SQLiteValue) -> Fragment {
    Fragment(sql: "?", parameters: [value])
  }

  static func + (left: Fragment, right: Fragment) -> Fragment {
    Fragment(sql: left.sql + right.sql, parameters: left.parameters + right.parameters)
  }

  static func + (left: Fragment, right: String) -> Fragment {
    Fragment(sql: left.sql + right, parameters: left.parameters)
  }

  static func + (left: String, right: Fragment) -> Fragment {
    Fragment(sql: left + right.sql, parameters: right.parameters)
  }

  /// The most bytes of SQL in a statement, since SQLite's work can grow with the square.
  private static let sqlLimit = 256 << 10

  /// Checks that SQLite can compile the text quickly, and that the bound values fit in memory.
  ///
  /// Each `?` has its own copy of its value.
  ///
  /// - Throws: ``DepotError`` `limit.predicate`.
  func checkSize() throws(DepotError) {
    guard sql.utf8.count <= Self.sqlLimit else { throw .tooNested }
    let bytes = parameters.reduce(0) { $0 + $1.byteCount }
    guard bytes <= Limits.constantBytes else {
      throw DepotError(
        .predicateTooLarge,
        "The constants of the query have over \(Limits.constantBytes) bytes."
      ).hint("A constant counts as often as it is used.")
    }
  }

  var parenthesized: Fragment { "(" + self + ")" }

  /// Returns the SELECT with a limit of rows and an offset.
  func cut(_ limit: Int?, offset: Int) -> Fragment {
    guard limit != nil || offset > 0 else { return self }
    return self + " LIMIT " + .bound(.integer(Int64(limit ?? -1)))
      + " OFFSET " + .bound(.integer(Int64(offset)))
  }

  /// Joins parts with commas.
  static func list(_ parts: [Fragment]) -> Fragment {
    Fragment(
      sql: parts.map(\.sql).joined(separator: ", "),
      parameters: parts.flatMap(\.parameters)
    )
  }

  /// Joins conditions with `word` as a balanced tree.
  ///
  /// Its depth grows with the logarithm of their number, and stays within SQLite's limit.
  static func joined(_ parts: ArraySlice<Fragment>, by word: String) -> Fragment {
    guard parts.count > 1, let first = parts.first else { return parts.first ?? .true }
    if parts.count == 2 { return first + " \(word) " + parts[parts.endIndex - 1] }
    let middle = parts.startIndex + parts.count / 2
    return joined(parts[..<middle], by: word).parenthesized + " \(word) "
      + joined(parts[middle...], by: word).parenthesized
  }
}

/// A piece of SQL that is true or false; if it is nullable, it may be NULL instead of false.
@Memberwise("fragment")
struct Condition {
  var fragment: Fragment
  var isNullable: Bool = false

  static func always(_ value: Bool) -> Condition { Condition(value ? .true : .false) }

  /// The condition in a form that is never NULL.
  var strict: Fragment { isNullable ? "ifnull(" + fragment + ", 0)" : fragment }
}
