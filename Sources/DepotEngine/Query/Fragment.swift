internal import DepotProtocol
internal import DepotSQLite

/// A piece of SQL with the values of its `?` parameters in their order.
struct Fragment: Hashable {
  var sql: String
  var parameters: [SQLiteValue] = []

  static let `true` = Fragment(sql: "1")
  static let `false` = Fragment(sql: "0")

  /// The condition that a row is one of a list of identifiers, which is still to be bound.
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

  /// How many bytes of SQL a statement may have: SQLite's work can grow with the square.
  private static let sqlLimit = 256 << 10

  /// Checks that the text is quick to compile for SQLite, and that the bound values fit in memory.
  ///
  /// Each `?` gets a copy of its value.
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

  /// Returns the select with at most so many rows, without those before an offset.
  func cut(_ limit: Int?, offset: Int) -> Fragment {
    guard limit != nil || offset > 0 else { return self }
    return self + " LIMIT " + .bound(.integer(Int64(limit ?? -1)))
      + " OFFSET " + .bound(.integer(Int64(offset)))
  }

  /// Joins parts by commas.
  static func list(_ parts: [Fragment]) -> Fragment {
    Fragment(
      sql: parts.map(\.sql).joined(separator: ", "),
      parameters: parts.flatMap(\.parameters)
    )
  }

  /// Joins conditions as a balanced tree, so that its depth grows with the logarithm of their number
  /// and stays within SQLite's limit.
  static func joined(_ parts: ArraySlice<Fragment>, by word: String) -> Fragment {
    guard parts.count > 1, let first = parts.first else { return parts.first ?? .true }
    if parts.count == 2 { return first + " \(word) " + parts[parts.endIndex - 1] }
    let middle = parts.startIndex + parts.count / 2
    return joined(parts[..<middle], by: word).parenthesized + " \(word) "
      + joined(parts[middle...], by: word).parenthesized
  }
}

/// A piece of SQL that is true, false, or, if it is nullable, NULL in place of false.
@Memberwise("fragment")
struct Condition {
  var fragment: Fragment
  var isNullable: Bool = false

  static func always(_ value: Bool) -> Condition { Condition(value ? .true : .false) }

  /// The condition as one that is never NULL.
  var strict: Fragment { isNullable ? "ifnull(" + fragment + ", 0)" : fragment }
}
