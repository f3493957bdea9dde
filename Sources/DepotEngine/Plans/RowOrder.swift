internal import DepotProtocol
internal import DepotSQLite

/// The order of a query's rows: its sort keys and, if needed, a last key that makes it total.
///
/// In ascending order, null is first and NaN is last; descending is the reverse. Text sorts by code
/// point, and false before true. Localized text sorts by its localized key, and then by code point.
/// Where values may be large, only their starts count, so that the sorted rows fit into memory.
struct RowOrder {
  private(set) var terms: [Term] = []
  /// The keys of the request, used to read the values of ``FetchRequest/after``.
  private var keys: [Key] = []
  private let isByIdentifier: Bool

  struct Term {
    var value: Fragment
    var isDescending: Bool
    var isNullable: Bool
  }

  private struct Key {
    var type: AttributeType
    var isDescending: Bool
    var isNullable: Bool
    var isLocalized: Bool
    var value: Fragment
    /// Whether only the start of a value counts.
    var isStart: Bool
  }

  /// Translates sort keys; for rows with identifiers, the identifier is the last key.
  init(
    _ sort: [SortKey],
    isByIdentifier: Bool = true,
    in compiler: inout QueryCompiler
  ) throws(DepotError) {
    self.isByIdentifier = isByIdentifier
    var isIdentifierDescending = false
    for (index, key) in sort.enumerated() {
      if isByIdentifier, key.expression == .attribute("$id") {
        isIdentifierDescending = key.isDescending
        break
      }
      keys.append(try DepotError.at("/args/sort/\(index)", try Self.key(key, &compiler)))
    }
    for key in keys { terms += Self.terms(of: key, key.value) }
    guard isByIdentifier else { return }
    terms.append(
      Term(
        value: Fragment(sql: "t0.id"),
        isDescending: isIdentifierDescending,
        isNullable: false
      )
    )
  }

  private static func key(
    _ key: SortKey,
    _ compiler: inout QueryCompiler
  ) throws(DepotError) -> Key {
    let largeCount = compiler.largeCount
    let operand = try compiler.operand(key.expression)
    guard let type = operand.type, type.isScalar else {
      throw DepotError(.usage, "Rows can't be sorted by this expression.")
        .hint("Sort by a text, number, date, truth value, or identifier.")
    }
    guard !key.isLocalized || type == .string || type == .url else {
      throw DepotError(.usage, "Only text has a localized order, not \(type.rawValue).")
    }
    let isText = operand.isText
    let isStart = compiler.largeCount > largeCount && (isText || type == .data)
    let start = ValueStart.sql(of: operand.fragment, isText: isText)
    return Key(
      type: type,
      isDescending: key.isDescending,
      isNullable: operand.isNullable,
      isLocalized: key.isLocalized,
      value: isStart ? operand.large?.key ?? start : operand.fragment,
      isStart: isStart
    )
  }

  private static func terms(of key: Key, _ value: Fragment) -> [Term] {
    let exact = Term(
      value: value,
      isDescending: key.isDescending,
      isNullable: key.isNullable
    )
    guard key.isLocalized else { return [exact] }
    var localized = exact
    localized.value = "depot_localized(" + value + ")"
    return [localized, exact]
  }

  /// Adds columns that make the order total.
  mutating func append(_ columns: [Fragment]) {
    for column in columns where !terms.contains(where: { $0.value == column }) {
      terms.append(Term(value: column, isDescending: false, isNullable: true))
    }
  }

  /// The terms of `ORDER BY`.
  var sql: Fragment {
    .list(
      terms.map { term in
        // SQLite would interpret a plain number as a column's index.
        let isNumber = term.value.sql.allSatisfy { $0.isNumber || $0 == "(" || $0 == ")" }
        let value = isNumber ? term.value + " + 0" : term.value
        return term.isDescending ? value + " DESC" : value
      }
    )
  }

  /// Returns the position of a row, by the values of its sort keys and then its identifier.
  func position(after: [Value]) throws(DepotError) -> RowPosition {
    guard isByIdentifier else {
      throw DepotError(.usage, "\"after\" and \"distinct\" exclude each other.")
        .hint("Use offset instead.").at("/args/after")
    }
    guard after.count > keys.count, let last = after.last else {
      throw DepotError(
        .usage,
        "\"after\" needs \(keys.count + 1) values: those of the sort keys, and an identifier."
      ).at("/args/after")
    }
    var values: [SQLiteValue] = []
    var bounds: [Fragment] = []
    for (index, key) in keys.enumerated() {
      var value = try Self.stored(after[index], as: key.type, at: index)
      if key.isStart { value = ValueStart.sorted(value) }
      for term in Self.terms(of: key, .bound(value)) {
        bounds.append(term.value)
        values.append(value)
      }
    }
    let identifier = try Self.stored(last, as: .int64, at: after.count - 1)
    guard identifier != .null else {
      throw DepotError(.usage, "The last value of \"after\" is an identifier.")
        .at("/args/after/\(after.count - 1)")
    }
    let parts = zip(terms, zip(bounds + [.bound(identifier)], values + [identifier])).map {
      RowPosition.Part(term: $0, bound: $1.0, isNull: $1.1 == .null)
    }
    return RowPosition(parts: parts)
  }

  private static func stored(
    _ value: Value,
    as type: AttributeType,
    at index: Int
  ) throws(DepotError) -> SQLiteValue {
    if value.isNull { return .null }
    // Clients that receive integers as strings also send them as strings.
    if type == .int64, case .string(let text) = value, let number = Int64(text) {
      return .integer(number)
    }
    // Rows have such numbers as texts.
    if type == .double, case .string(let text) = value, let number = NonFinite.double(text) {
      return StoredValue.encode(.double(number))
    }
    guard let converted = value.converted(to: type) else {
      throw DepotError(.usage, "This value isn't of the sort key's type, \(type.rawValue).")
        .at("/args/after/\(index)")
    }
    return StoredValue.encode(converted)
  }
}
