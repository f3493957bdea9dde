extension Predicate {
  /// Creates a predicate that is true where all others are; true if there are none.
  public init(all predicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
    self.init { (variable: repeat PredicateExpressions.Variable<each Input>) in
      Composition.joined(
        predicates.map { NestedPredicate($0, repeat each variable) },
        ifEmpty: true,
        { Composition.and($0, $1) }
      )
    }
  }

  /// Creates a predicate that is true where any other is; false if there are none.
  public init(any predicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
    self.init { (variable: repeat PredicateExpressions.Variable<each Input>) in
      Composition.joined(
        predicates.map { NestedPredicate($0, repeat each variable) },
        ifEmpty: false,
        { Composition.or($0, $1) }
      )
    }
  }
}

/// The joining of parts of predicates, as flat as can be.
private enum Composition {
  typealias Part = any StandardPredicateExpression<Bool>

  static func joined(
    _ parts: [Part],
    ifEmpty empty: Bool,
    _ join: (Part, Part) -> Part
  ) -> Part {
    var level = parts
    while level.count > 1 {
      level = stride(from: 0, to: level.count, by: 2).map { index in
        index + 1 < level.count ? join(level[index], level[index + 1]) : level[index]
      }
    }
    return level.first ?? PredicateExpressions.Value(empty)
  }

  static func and(
    _ left: some StandardPredicateExpression<Bool>,
    _ right: some StandardPredicateExpression<Bool>
  ) -> Part { PredicateExpressions.Conjunction(lhs: left, rhs: right) }

  static func or(
    _ left: some StandardPredicateExpression<Bool>,
    _ right: some StandardPredicateExpression<Bool>
  ) -> Part { PredicateExpressions.Disjunction(lhs: left, rhs: right) }
}
