internal import FoundationEssentials

/// The names by which people know the operators that the service doesn't have.
enum OperatorName {
  /// Returns the name of the operator that a node stands for.
  static func of(_ node: any PredicateExpression) -> String {
    let name = String("\(type(of: node))".prefix { $0 != "<" })
    return names[name] ?? name
  }

  private static let names = [
    "ExpressionEvaluate": "evaluate(_:)", "PredicateEvaluate": "evaluate(_:)",
  ]
}
