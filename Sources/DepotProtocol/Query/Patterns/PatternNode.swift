/// A part of a regular expression.
indirect enum PatternNode {
  /// One scalar out of a set.
  case set(ScalarSet)
  case assertion(PatternAssertion)
  /// The parts in a row; nothing at all if there are none.
  case sequence([PatternNode])
  case alternation([PatternNode])
  /// A part so many times, without an upper limit if `most` is `nil`; `offset` is where the count is.
  case repetition(PatternNode, least: Int, most: Int?, offset: Int)
}

/// A condition on a place between two scalars.
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

/// The options that a pattern switches on and off within itself.
struct PatternFlags {
  var ignoresCase = false
  /// Whether `.` is any scalar, line terminators too.
  var dotIsAny = false
  /// Whether `^` and `$` are about lines.
  var isMultiline = false
  /// Whether white space and comments mean nothing.
  var isExtended = false
}
