package import DepotProtocol
package import FoundationEssentials

extension PredicateExpressions.Arithmetic: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
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
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    .arithmetic(.divide, try lowering.value(lhs), try lowering.value(rhs))
  }
}

extension PredicateExpressions.IntDivision: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    .arithmetic(.divide, try lowering.value(lhs), try lowering.value(rhs))
  }
}

extension PredicateExpressions.IntRemainder: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    .arithmetic(.modulo, try lowering.value(lhs), try lowering.value(rhs))
  }
}

extension PredicateExpressions.UnaryMinus: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    .negate(try lowering.value(wrapped))
  }
}
