internal import DepotProtocol
internal import FoundationEssentials

/// A condition on a value that may be missing, as in `$0.section?.contains("x")`.
///
/// The service's conditions are true or false, never missing, so it needs a place that says what a
/// missing value means: `== true`, `?? false`, or `if let`.
protocol OptionalCondition {
  /// Returns whether the value is there, and whether the condition holds for it.
  func lowerOptional(
    in lowering: inout PredicateLowering
  ) throws(DepotError) -> (isPresent: QueryExpression, holds: QueryExpression)
}

extension PredicateExpressions.OptionalFlatMap: OptionalCondition, LowerableExpression {
  func lowerOptional(
    in lowering: inout PredicateLowering
  ) throws(DepotError) -> (isPresent: QueryExpression, holds: QueryExpression) {
    let value = try lowering.value(wrapped)
    lowering.bindings[variable.key] = .expression(value)
    let isPresent = QueryExpression.comparison(.notEqual, value, .value(.null))
    return (isPresent, try lowering.predicate(transform))
  }

  func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    if Result.self == Bool.self {
      throw lowering.refusal(
        "a condition on a missing value",
        hint: "Say what it means when nothing is there: add == true or ?? false."
      )
    }
    // Computing with null gives null, as the optional chain does.
    lowering.bindings[variable.key] = .expression(try lowering.value(wrapped))
    return try lowering.value(transform)
  }
}

extension PredicateExpressions.NilCoalesce: LowerableExpression {
  func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    guard Output.self == Bool.self else {
      throw lowering.refusal("?? for a value", hint: "Compare with nil and use ||.")
    }
    let isPresent: QueryExpression
    let holds: QueryExpression
    if let condition = lhs as? any OptionalCondition {
      (isPresent, holds) = try condition.lowerOptional(in: &lowering)
    } else {
      let value = try lowering.value(lhs)
      isPresent = .comparison(.notEqual, value, .value(.null))
      holds = .comparison(.equal, value, .value(.bool(true)))
    }
    switch Constant(rhs)?.value as? Bool {
    case false?: return .and([isPresent, holds])
    case true?: return .or([.not(isPresent), holds])
    case nil:
      let otherwise = try lowering.predicate(rhs)
      return .or([.and([isPresent, holds]), .and([.not(isPresent), otherwise])])
    }
  }
}
