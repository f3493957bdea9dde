/// A function: a name before parentheses.
enum PredicateFunction {
  /// A function with the given number of arguments.
  case values(Int, @Sendable ([QueryExpression]) -> QueryExpression)
  case aggregate(QueryExpression.Aggregate)
  /// `noindex:`, which returns its argument.
  case identity
  case cast
  case coalesce
  case subquery
  case element

  init?(_ name: String) {
    guard let found = Self.table[NameSyntax.keyword(name)] else { return nil }
    self = found
  }

  private static func function(_ function: QueryExpression.Function) -> PredicateFunction {
    .values(function.arity) { .function(function, $0) }
  }

  private static func arithmetic(_ arithmetic: QueryExpression.Arithmetic) -> PredicateFunction {
    .values(2) { .arithmetic(arithmetic, $0[0], $0[1]) }
  }

  /// The names as a user would write them, for advice.
  static let names: [String] =
    QueryExpression.Function.allCases.map(\.rawValue)
    + PredicateCollectionOperator.aggregates.map(\.name) + others.keys.sorted()

  private static let others: [String: PredicateFunction] = [
    "add:to:": arithmetic(.add), "from:subtract:": arithmetic(.subtract),
    "multiply:by:": arithmetic(.multiply), "divide:by:": arithmetic(.divide),
    "modulus:by:": arithmetic(.modulo), "raise:toThe:": arithmetic(.power),
    "bitwiseAnd:with:": function(.bitwiseAnd), "bitwiseOr:with:": function(.bitwiseOr),
    "bitwiseXor:with:": function(.bitwiseXor), "leftshift:by:": function(.leftshift),
    "rightshift:by:": function(.rightshift), "concatenate:with:": function(.concatenate),
    "average": .aggregate(.average), "countDistinct": .aggregate(.countDistinct),
    "castObject:toType:": .cast, "CAST": .cast, "now": .values(0) { _ in .now },
    "TERNARY": .values(3) { .conditional($0[0], $0[1], $0[2]) }, "COALESCE": .coalesce,
    "SUBQUERY": .subquery, "noindex": .identity, "objectFrom:withIndex:": .element,
  ]

  /// The functions by their names in upper case.
  private static let table: [String: PredicateFunction] = {
    var table: [String: PredicateFunction] = [:]
    for (name, function) in others { table[name.uppercased()] = function }
    for (name, aggregate) in PredicateCollectionOperator.aggregates {
      table[name.uppercased()] = .aggregate(aggregate)
    }
    for name in QueryExpression.Function.allCases {
      table[name.rawValue.uppercased()] = function(name)
    }
    return table
  }()
}
