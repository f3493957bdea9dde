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

extension PredicateLowering {
  /// Translates a search for words in a text, or in all texts of an object that can be searched.
  ///
  /// - Parameters:
  ///   - words: The search, as ``SearchQuery`` reads it.
  ///   - subject: The text or the object.
  /// - Returns: The search.
  /// - Throws: ``DepotError`` `request.predicate` if it isn't about the row or, inside of a test of
  ///   elements, about the innermost element.
  package func search(
    _ words: String,
    in subject: QueryExpression
  ) throws(DepotError) -> QueryExpression {
    switch subject {
    case .variable(let name) where name == innermost ?? "SELF": return .search([], words)
    case .attribute(let path) where innermost == nil: return .search([path], words)
    case .member(.variable(let name), let path) where name == innermost:
      return .search([path], words)
    default: throw refusal("a search of anything but a property of the innermost element")
    }
  }
}
