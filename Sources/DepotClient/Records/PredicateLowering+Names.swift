internal import FoundationEssentials

/// What people call the operators that the service doesn't have.
enum OperatorName {
  /// Returns the name of the operator that a node stands for.
  static func of(_ node: any PredicateExpression) -> String {
    let name = String("\(type(of: node))".prefix { $0 != "<" })
    return names[name] ?? name
  }

  private static let names = [
    "CollectionIndexSubscript": "a subscript", "CollectionRangeSubscript": "a subscript",
    "ConditionalCast": "as?", "DictionaryKeyDefaultValueSubscript": "a subscript",
    "DictionaryKeySubscript": "a subscript", "ExpressionEvaluate": "evaluate(_:)",
    "Filter": "filter(_:)", "ForceCast": "as!", "IntRemainder": "%",
    "PredicateEvaluate": "evaluate(_:)", "SequenceAllSatisfy": "allSatisfy(_:)",
    "SequenceContainsWhere": "contains(where:)", "SequenceMaximum": "max()",
    "SequenceMinimum": "min()", "StringContainsRegex": "contains(_:) with a regular expression",
    "TypeCheck": "is",
  ]
}
