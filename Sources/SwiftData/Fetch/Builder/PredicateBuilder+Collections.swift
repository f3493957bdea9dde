extension PredicateBuilder {
  /// What stands for an element or a value in a part.
  public typealias Variable = PredicateExpressions.Variable

  /// Whether a sequence contains an element.
  // A range is a sequence, too, but tells more as a range.
  @_disfavoredOverload
  public static func contains<S: Part, Element: Part>(
    _ sequence: S,
    _ element: Element
  ) -> PredicateExpressions.SequenceContains<S, Element>
  where S.Output: Sequence, Element.Output: Equatable, Element.Output == S.Output.Element {
    PredicateExpressions.SequenceContains(sequence: sequence, element: element)
  }

  /// Whether a collection contains another.
  public static func contains<Base: Part, Other: Part>(
    _ base: Base,
    _ other: Other
  ) -> PredicateExpressions.CollectionContainsCollection<Base, Other>
  where
    Base.Output: Collection,
    Other.Output: Collection,
    Base.Output.Element: Equatable,
    Base.Output.Element == Other.Output.Element
  {
    PredicateExpressions.CollectionContainsCollection(base: base, other: other)
  }

  /// Whether a range contains a value.
  public static func contains<Bounds: Part, Element: Part>(
    _ range: Bounds,
    _ element: Element
  ) -> PredicateExpressions.RangeExpressionContains<Bounds, Element>
  where Bounds.Output: RangeExpression, Element.Output == Bounds.Output.Bound {
    PredicateExpressions.RangeExpressionContains(range: range, element: element)
  }

  /// Whether a text contains what a pattern matches.
  public static func contains<Subject: Part, Pattern: Part>(
    _ subject: Subject,
    _ regex: Pattern
  ) -> PredicateExpressions.StringContainsRegex<Subject, Pattern>
  where
    Subject.Output: BidirectionalCollection,
    Subject.Output.SubSequence == Substring,
    Pattern.Output: RegexComponent
  {
    PredicateExpressions.StringContainsRegex(subject: subject, regex: regex)
  }

  /// Whether an element of a sequence passes a test.
  public static func containsWhere<S: Part, Test: Part<Bool>>(
    _ sequence: S,
    _ test: (Variable<S.Output.Element>) -> Test
  ) -> PredicateExpressions.SequenceContainsWhere<S, Test> where S.Output: Sequence {
    PredicateExpressions.SequenceContainsWhere(sequence, builder: test)
  }

  /// Whether every element of a sequence passes a test.
  public static func allSatisfy<S: Part, Test: Part<Bool>>(
    _ sequence: S,
    _ test: (Variable<S.Output.Element>) -> Test
  ) -> PredicateExpressions.SequenceAllSatisfy<S, Test> where S.Output: Sequence {
    PredicateExpressions.SequenceAllSatisfy(sequence, builder: test)
  }

  /// The elements of a sequence that pass a test.
  public static func filter<S: Part, Test: Part<Bool>>(
    _ sequence: S,
    _ test: (Variable<S.Output.Element>) -> Test
  ) -> PredicateExpressions.Filter<S, Test> where S.Output: Sequence {
    PredicateExpressions.Filter(sequence, test)
  }

  /// The first element of a sequence that passes a test.
  public static func first<S: Part, Test: Part<Bool>>(
    _ sequence: S,
    _ test: (Variable<S.Output.Element>) -> Test
  ) -> PredicateExpressions.KeyPath<PredicateExpressions.Filter<S, Test>, S.Output.Element?>
  where S.Output: Sequence {
    keyPath(filter(sequence, test), \.first)
  }

  /// How many elements of a sequence pass a test.
  public static func count<S: Part, Test: Part<Bool>>(
    _ sequence: S,
    _ test: (Variable<S.Output.Element>) -> Test
  ) -> PredicateExpressions.KeyPath<PredicateExpressions.Filter<S, Test>, Int>
  where S.Output: Sequence {
    keyPath(filter(sequence, test), \.count)
  }

  /// A part of each element of a sequence.
  public static func map<S: Part, Result: Part>(
    _ sequence: S,
    _ transform: (Variable<S.Output.Element>) -> Result
  ) -> SequenceMap<S, Result> where S.Output: Sequence {
    SequenceMap(sequence, transform)
  }

  /// The least element of a sequence.
  public static func min<S: Part>(
    _ sequence: S
  ) -> PredicateExpressions.SequenceMinimum<S>
  where S.Output: Sequence, S.Output.Element: Comparable {
    PredicateExpressions.SequenceMinimum(elements: sequence)
  }

  /// The greatest element of a sequence.
  public static func max<S: Part>(
    _ sequence: S
  ) -> PredicateExpressions.SequenceMaximum<S>
  where S.Output: Sequence, S.Output.Element: Comparable {
    PredicateExpressions.SequenceMaximum(elements: sequence)
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

  /// The element of a collection at an index.
  public static func element<C: Part, Index: Part>(
    _ collection: C,
    _ index: Index
  ) -> PredicateExpressions.CollectionIndexSubscript<C, Index>
  where C.Output: Collection, Index.Output == C.Output.Index {
    PredicateExpressions.CollectionIndexSubscript(wrapped: collection, index: index)
  }

  /// The elements of a collection at indices of a range.
  public static func element<C: Part, Bounds: Part>(
    _ collection: C,
    _ range: Bounds
  ) -> PredicateExpressions.CollectionRangeSubscript<C, Bounds>
  where C.Output: Collection, Bounds.Output == Range<C.Output.Index> {
    PredicateExpressions.CollectionRangeSubscript(wrapped: collection, range: range)
  }

  /// The value of a key; `nil` if there is none.
  public static func element<D: Part, Key: Part, Value>(
    _ dictionary: D,
    _ key: Key
  ) -> PredicateExpressions.DictionaryKeySubscript<D, Key, Value>
  where D.Output == [Key.Output: Value], Key.Output: Hashable {
    PredicateExpressions.DictionaryKeySubscript(wrapped: dictionary, key: key)
  }

  /// The value of a key, or another if there is none.
  public static func element<D: Part, Key: Part, Default: Part>(
    _ dictionary: D,
    _ key: Key,
    default otherwise: Default
  ) -> PredicateExpressions.DictionaryKeyDefaultValueSubscript<D, Key, Default>
  where D.Output == [Key.Output: Default.Output], Key.Output: Hashable {
    PredicateExpressions.DictionaryKeyDefaultValueSubscript(
      wrapped: dictionary,
      key: key,
      default: otherwise
    )
  }
}

// MARK: - Optionals

extension PredicateBuilder {
  /// A part of a value; `nil` if there is no value.
  public static func flatMap<Value: Part, Wrapped, Result: Part>(
    _ value: Value,
    _ transform: (Variable<Wrapped>) -> Result
  ) -> PredicateExpressions.OptionalFlatMap<Value, Wrapped, Result, Result.Output>
  where Value.Output == Wrapped? {
    PredicateExpressions.OptionalFlatMap(value, transform)
  }

  /// A part of a value; `nil` if there is no value.
  public static func flatMap<Value: Part, Wrapped, Result: Part, Content>(
    _ value: Value,
    _ transform: (Variable<Wrapped>) -> Result
  ) -> PredicateExpressions.OptionalFlatMap<Value, Wrapped, Result, Content>
  where Value.Output == Wrapped?, Result.Output == Content? {
    PredicateExpressions.OptionalFlatMap(value, transform)
  }

  /// A part of a value; `nil` if there is no value.
  public static func map<Value: Part, Wrapped, Result: Part>(
    _ value: Value,
    _ transform: (Variable<Wrapped>) -> Result
  ) -> PredicateExpressions.OptionalFlatMap<Value, Wrapped, Result, Result.Output>
  where Value.Output == Wrapped? {
    PredicateExpressions.OptionalFlatMap(value, transform)
  }

  /// A value that has to be there: `!`.
  public static func unwrap<Value: Part, Wrapped>(
    _ value: Value
  ) -> PredicateExpressions.ForcedUnwrap<Value, Wrapped> where Value.Output == Wrapped? {
    PredicateExpressions.ForcedUnwrap(value)
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
