/// A function, which is a name before parentheses.
enum PredicateFunction {
  case function(QueryExpression.Function)
  case aggregate(QueryExpression.Aggregate)
  case arithmetic(QueryExpression.Arithmetic)
  /// `noindex:`, which says nothing of the value.
  case identity
  case now
  case cast
  case conditional
  case coalesce
  case subquery
  case element

  init?(_ name: String) {
    guard let found = Self.table[NameSyntax.keyword(name)] else { return nil }
    self = found
  }

  /// The names as a user would write them, for advice.
  static let names: [String] =
    QueryExpression.Function.allCases.map(\.rawValue)
    + PredicateCollectionOperator.aggregates.map(\.name) + others.keys.sorted()

  /// How many operands a function takes that takes only values.
  var arity: Int {
    switch self {
    case .function(let function): function.arity
    case .arithmetic: 2
    case .conditional: 3
    case .now: 0
    default: 1
    }
  }

  private static let others: [String: PredicateFunction] = [
    "add:to:": .arithmetic(.add), "from:subtract:": .arithmetic(.subtract),
    "multiply:by:": .arithmetic(.multiply), "divide:by:": .arithmetic(.divide),
    "modulus:by:": .arithmetic(.modulo), "raise:toThe:": .arithmetic(.power),
    "bitwiseAnd:with:": .function(.bitwiseAnd), "bitwiseOr:with:": .function(.bitwiseOr),
    "bitwiseXor:with:": .function(.bitwiseXor), "leftshift:by:": .function(.leftshift),
    "rightshift:by:": .function(.rightshift), "concatenate:with:": .function(.concatenate),
    "average": .aggregate(.average), "countDistinct": .aggregate(.countDistinct),
    "castObject:toType:": .cast, "CAST": .cast, "now": .now, "TERNARY": .conditional,
    "COALESCE": .coalesce, "SUBQUERY": .subquery, "noindex": .identity,
    "objectFrom:withIndex:": .element,
  ]

  /// The functions by their names in upper case.
  private static let table: [String: PredicateFunction] = {
    var table: [String: PredicateFunction] = [:]
    for (name, function) in others { table[name.uppercased()] = function }
    for (name, aggregate) in PredicateCollectionOperator.aggregates {
      table[name.uppercased()] = .aggregate(aggregate)
    }
    for function in QueryExpression.Function.allCases {
      table[function.rawValue.uppercased()] = .function(function)
    }
    return table
  }()
}
