internal import DepotProtocol
internal import FoundationEssentials

extension PredicateExpressions.Arithmetic: LowerableExpression {
  func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let arithmetic: QueryExpression.Arithmetic =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: throw lowering.refusal("\(op)")
      }
    return .arithmetic(arithmetic, try lowering.value(lhs), try lowering.value(rhs))
  }
}

extension PredicateExpressions.FloatDivision: LowerableExpression {
  func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    .arithmetic(.divide, try lowering.value(lhs), try lowering.value(rhs))
  }
}

extension PredicateExpressions.IntDivision: LowerableExpression {
  func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    .arithmetic(.divide, try lowering.value(lhs), try lowering.value(rhs))
  }
}

extension PredicateExpressions.IntRemainder: LowerableExpression {
  func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    .arithmetic(.modulo, try lowering.value(lhs), try lowering.value(rhs))
  }
}

extension PredicateExpressions.UnaryMinus: LowerableExpression {
  func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    .negate(try lowering.value(wrapped))
  }
}
