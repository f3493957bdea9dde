internal import DepotProtocol
internal import FoundationEssentials

extension PredicateExpressions.Variable: LowerableExpression {
  func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    if case .expression(let expression) = lowering.bindings[key] { return expression }
    throw lowering.refusal("the whole record", hint: "Compare its identifier.")
  }
}

extension PredicateExpressions.KeyPath: LowerableExpression {
  func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    if let variable = root as? any VariableExpression,
      case .record = lowering.bindings[variable.key]
    {
      return .attribute(try lowering.attributeName(keyPath))
    }
    let value = try lowering.value(root)
    if keyPath as AnyKeyPath == \String.isEmpty {
      return .comparison(.equal, value, .value(.string("")))
    }
    throw lowering.refusal("a property of a value (\(keyPath.shortDescription))")
  }
}

extension PredicateExpressions.ForcedUnwrap: LowerableExpression {
  func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    try lowering.value(inner)
  }
}

/// A variable of any type.
private protocol VariableExpression {
  var key: PredicateExpressions.VariableID { get }
}

extension PredicateExpressions.Variable: VariableExpression {}
