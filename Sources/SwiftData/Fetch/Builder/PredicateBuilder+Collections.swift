extension PredicateBuilder {
  /// The placeholder of an element or a value in a part.
  public typealias Variable = PredicateExpressions.Variable

  /// A part of each element of a sequence.
  public static func map<S: Part, Result: Part>(
    _ sequence: S,
    _ transform: (Variable<S.Output.Element>) -> Result
  ) -> SequenceMap<S, Result> where S.Output: Sequence {
    SequenceMap(sequence, transform)
  }

  // The least and the greatest of values written down are no optionals.

  /// The least of values that are written down.
  public static func min<T: Comparable>(
    _ list: ValueList<T>
  ) -> PredicateExpressions.ForcedUnwrap<PredicateExpressions.SequenceMinimum<ValueList<T>>, T> {
    PredicateExpressions.ForcedUnwrap(PredicateExpressions.SequenceMinimum(elements: list))
  }

  /// The greatest of values that are written down.
  public static func max<T: Comparable>(
    _ list: ValueList<T>
  ) -> PredicateExpressions.ForcedUnwrap<PredicateExpressions.SequenceMaximum<ValueList<T>>, T> {
    PredicateExpressions.ForcedUnwrap(PredicateExpressions.SequenceMaximum(elements: list))
  }

  /// A list of values that are written down.
  public static func list<T>(_ elements: any Part<T>...) -> ValueList<T> { ValueList(elements) }
}

// MARK: - Optionals

extension PredicateBuilder {
  /// A part of a value; `nil` if there is no value.
  public static func map<Value: Part, Wrapped, Result: Part>(
    _ value: Value,
    _ transform: (Variable<Wrapped>) -> Result
  ) -> PredicateExpressions.OptionalFlatMap<Value, Wrapped, Result, Result.Output>
  where Value.Output == Wrapped? {
    PredicateExpressions.OptionalFlatMap(value, transform)
  }

  /// A value, or another if there is none: `??`.
  public static func coalesce<L: Part, R: Part>(
    _ value: L,
    _ otherwise: R
  ) -> PredicateExpressions.NilCoalesce<L, R> where L.Output == R.Output? {
    PredicateExpressions.NilCoalesce(lhs: value, rhs: otherwise)
  }

  /// A value, or another if there is none: `??`.
  public static func coalesce<L: Part, R: Part, Wrapped: Equatable>(
    _ value: L,
    _ otherwise: R
  )
    -> PredicateExpressions.Conditional<
      PredicateExpressions.NotEqual<L, PredicateExpressions.NilLiteral<Wrapped>>, L, R
    > where L.Output == Wrapped?, R.Output == Wrapped?
  {
    PredicateExpressions.Conditional(
      test: isNotNil(value),
      trueBranch: value,
      falseBranch: otherwise
    )
  }
}
