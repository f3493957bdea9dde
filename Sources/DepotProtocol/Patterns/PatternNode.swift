/// A part of a regular expression.
indirect enum PatternNode {
  /// One scalar out of a set.
  case set(ScalarSet)
  case assertion(PatternAssertion)
  /// The parts in a row; nothing at all if there are none.
  case sequence([PatternNode])
  case alternation([PatternNode])
  /// Repetitions of a part, without a limit if `most` is `nil`; the count is at `offset`.
  case repetition(PatternNode, least: Int, most: Int?, offset: Int)
}

/// A condition on a position between two scalars.
enum PatternAssertion {
  case textStart
  case textEnd
  /// The end, or before the line terminator at the end.
  case lastLineEnd
  case lineStart
  case lineEnd
  case wordBoundary
  case noWordBoundary
}

/// The flags that a pattern can change within itself.
struct PatternFlags {
  var ignoresCase = false
  /// Whether `.` matches line terminators too.
  var dotIsAny = false
  /// Whether `^` and `$` match at lines.
  var isMultiline = false
  /// Whether white space and comments are ignored.
  var isExtended = false
}
