extension QueryExpression {
  /// The direct parts of this expression, in written order.
  package var children: [QueryExpression] {
    var children: [QueryExpression] = []
    _ = map { child in
      children.append(child)
      return child
    }
    return children
  }

  /// Returns the expression with each of its ``children`` replaced.
  package func map(_ change: (QueryExpression) -> QueryExpression) -> QueryExpression {
    switch self {
    case .value, .attribute, .variable, .now, .search: self
    case .member(let base, let path): .member(change(base), path)
    case .comparison(let comparison, let left, let right, let options):
      .comparison(comparison, change(left), change(right), options: options)
    case .text(let test, let left, let right, let options):
      .text(test, change(left), change(right), options: options)
    case .between(let value, let low, let high):
      .between(change(value), change(low), change(high))
    case .in(let value, let list, let options):
      .in(change(value), list.map(change), options: options)
    case .and(let parts): .and(parts.map(change))
    case .or(let parts): .or(parts.map(change))
    case .not(let part): .not(change(part))
    case .arithmetic(let operation, let left, let right):
      .arithmetic(operation, change(left), change(right))
    case .negate(let part): .negate(change(part))
    case .is(let part, let entity): .is(change(part), entity: entity)
    case .cast(let part, let entity): .cast(change(part), entity: entity)
    case .convert(let part, let type): .convert(change(part), type)
    case .narrow(let part, let width): .narrow(change(part), width)
    case .list(let parts): .list(parts.map(change))
    case .conditional(let test, let first, let second):
      .conditional(change(test), change(first), change(second))
    case .coalesce(let parts): .coalesce(parts.map(change))
    case .function(let function, let parts): .function(function, parts.map(change))
    case .quantified(let quantifier, let collection, let name, let test):
      .quantified(quantifier, change(collection), name, change(test))
    case .filtered(let collection, let name, let test):
      .filtered(change(collection), name, change(test))
    case .aggregate(let aggregate, let part): .aggregate(aggregate, change(part))
    case .contains(let collection, let element): .contains(change(collection), change(element))
    case .element(let collection, let index): .element(change(collection), index)
    case .slice(let collection, let range): .slice(change(collection), range)
    }
  }
}

extension QueryExpression {
  /// The full-text queries in a predicate about its rows.
  package var searches: [QueryExpression] {
    switch self {
    case .search: [self]
    case .and(let parts), .or(let parts): parts.flatMap(\.searches)
    default: []
    }
  }
}
