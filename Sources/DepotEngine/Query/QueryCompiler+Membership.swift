internal import DepotProtocol
internal import DepotSQLite

extension QueryCompiler {
  /// The most constants that are separate parameters; more constants are one parameter.
  private static var shortList: Int { 16 }

  /// Translates whether a value is in a list.
  mutating func membership(
    _ value: QueryExpression,
    _ list: [QueryExpression],
    _ options: QueryExpression.TextOptions,
    isFilter: Bool
  ) throws(DepotError) -> Condition {
    let options = options.effective
    if list.count == 1, let condition = try contains(value, list[0], options) {
      return condition
    }
    var value = try operand(value)
    if !options.isEmpty { value = try folded(value, options) }
    if options.isEmpty, let constants = Self.constants(list, as: value) {
      return Condition(
        (value.fragment + " IN (" + Self.rows(of: constants) + ")").parenthesized,
        isNullable: value.isNullable
      )
    }
    var constants: [Fragment] = []
    var conditions: [Fragment] = []
    var isNullable = false
    for element in list {
      var (left, right) = (value, try operand(element))
      if options.isEmpty {
        try unify(&left, &right)
      } else {
        right = try folded(right, options)
      }
      if right.isConstant, !right.isNull, !right.isAlwaysNaN, !left.isNull, !left.isConstant,
        !left.needsDecimalOrder(with: right)
      {
        constants.append(right.fragment)
        isNullable = isNullable || left.isNullable
      } else {
        let condition = equality(left, right, isFilter: isFilter)
        isNullable = isNullable || condition.isNullable
        conditions.append(condition.fragment.parenthesized)
      }
    }
    if !constants.isEmpty {
      let values =
        constants.count <= Self.shortList
        ? .list(constants)
        : Self.rows(of: constants.flatMap(\.parameters))
      conditions.append((value.fragment + " IN " + values.parenthesized).parenthesized)
    }
    guard !conditions.isEmpty else { return .always(false) }
    return Condition(.joined(conditions[...], by: "OR").parenthesized, isNullable: isNullable)
  }

  /// Returns a long list of constants of a value's type in their stored form.
  ///
  /// It is `nil` for any other list.
  private static func constants(_ list: [QueryExpression], as value: Operand) -> [SQLiteValue]? {
    guard list.count > shortList, !value.isConstant else { return nil }
    var stored: [SQLiteValue] = []
    stored.reserveCapacity(list.count)
    for element in list {
      guard case .value(let constant) = element, constant.type == value.type, !constant.isNaN else {
        return nil
      }
      stored.append(StoredValue.encode(constant))
    }
    return stored
  }

  private static func rows(of constants: [SQLiteValue]) -> Fragment {
    "SELECT value FROM depot_each(" + .bound(.list(constants)) + ", 0)"
  }

  /// Translates membership in a collection that is the only element of the list.
  private mutating func contains(
    _ value: QueryExpression,
    _ collection: QueryExpression,
    _ options: QueryExpression.TextOptions
  ) throws(DepotError) -> Condition? {
    guard case .collection = try term(collection) else { return nil }
    if case .collection = try term(value) { return nil }
    return try contains(collection, value, options: options)
  }
}
