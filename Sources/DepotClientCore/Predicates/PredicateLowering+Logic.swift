package import DepotProtocol
package import FoundationEssentials

extension PredicateExpressions.Conjunction: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let parts = [try lowering.predicate(lhs), try lowering.predicate(rhs)]
    return .and(parts.flatMap { if case .and(let list) = $0 { list } else { [$0] } })
  }
}

extension PredicateExpressions.Disjunction: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let parts = [try lowering.predicate(lhs), try lowering.predicate(rhs)]
    return .or(parts.flatMap { if case .or(let list) = $0 { list } else { [$0] } })
  }
}

extension PredicateExpressions.Negation: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    .not(try lowering.predicate(wrapped))
  }
}

extension PredicateExpressions.Conditional: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    guard Output.self == Bool.self else {
      return .conditional(
        try lowering.predicate(test),
        try lowering.value(trueBranch),
        try lowering.value(falseBranch)
      )
    }
    let test = try lowering.predicate(test)
    return .or([
      .and([test, try lowering.predicate(trueBranch)]),
      .and([.not(test), try lowering.predicate(falseBranch)]),
    ])
  }
}
