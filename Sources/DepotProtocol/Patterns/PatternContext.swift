/// The facts about a scalar beside a position, used to decide assertions.
struct PatternContext: OptionSet, Hashable {
  let rawValue: UInt64

  /// A word character.
  static let word = PatternContext(rawValue: 1)
  static let newline = PatternContext(rawValue: 2)
  static let carriageReturn = PatternContext(rawValue: 4)
  static let lineFeed = PatternContext(rawValue: 8)
  /// The start or the end of the text, where there is no scalar.
  static let edge = PatternContext(rawValue: 16)
  /// The beginning of the line terminator at the end of the text.
  static let lastLineEnd = PatternContext(rawValue: 32)

  /// The number of bits.
  static let bitCount = 6
}

extension PatternAssertion {
  /// Whether it holds between two scalars.
  func holds(after left: PatternContext, before right: PatternContext) -> Bool {
    switch self {
    case .textStart: left.contains(.edge)
    case .textEnd: right.contains(.edge)
    case .lastLineEnd: right.contains(.edge) || right.contains(.lastLineEnd)
    case .lineStart:
      left.contains(.edge) || left.contains(.newline) && !Self.isWithinTerminator(left, right)
    case .lineEnd:
      right.contains(.edge) || right.contains(.newline) && !Self.isWithinTerminator(left, right)
    case .wordBoundary: left.contains(.word) != right.contains(.word)
    case .noWordBoundary: left.contains(.word) == right.contains(.word)
    }
  }

  private static func isWithinTerminator(_ left: PatternContext, _ right: PatternContext) -> Bool {
    left.contains(.carriageReturn) && right.contains(.lineFeed)
  }
}
