package import DepotProtocol
package import FoundationEssentials

extension PredicateExpressions.CollectionContainsCollection: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    guard Base.Output.self is any StringProtocol.Type else {
      throw lowering.refusal("contains(_:) of a collection in another")
    }
    return .text(.contains, try lowering.value(base), try lowering.value(other))
  }
}

extension PredicateExpressions.SequenceStartsWith: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    guard Base.Output.self is any StringProtocol.Type else {
      throw lowering.refusal("starts(with:) of anything but a string")
    }
    return .text(.begins, try lowering.value(base), try lowering.value(prefix))
  }
}

extension PredicateExpressions.StringContainsRegex: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    guard let component = Constant(regex)?.value as? any RegexComponent,
      let pattern = PredicateExpressions.PredicateRegex(component)?.stringRepresentation
    else { throw lowering.refusal("a regular expression that has no pattern") }
    // The service's test is about the whole text.
    let whole = "(?s:.*?)(?:\(pattern))(?s:.*)"
    return .text(.matches, try lowering.value(subject), .value(.string(whole)))
  }
}
