/// A compiled regular expression for texts that are compared with some options.
///
/// It isn't `Sendable`, since it caches states found while matching.
package final class TextPattern {
  /// The longest pattern, in bytes; a row may cost as many steps as the product of both lengths.
  package static let byteLimit = 1000

  private let options: QueryExpression.TextOptions
  /// Whether only case is ignored, independent of composition.
  private let isComposing: Bool
  private var matcher: PatternMatcher

  /// Compiles `pattern`.
  ///
  /// - Throws: ``PatternFailure`` if it isn't a regular expression, or too long a one.
  package init(
    _ pattern: String,
    _ options: QueryExpression.TextOptions = []
  ) throws(PatternFailure) {
    guard pattern.utf8.count <= Self.byteLimit else {
      throw PatternFailure(
        "A pattern can't be longer than \(Self.byteLimit) bytes",
        at: pattern.unicodeScalars.count
      ).hint("Write several conditions.")
    }
    var flags = PatternFlags()
    flags.ignoresCase = options.effective.contains(.caseInsensitive)
    let options = options.effective.subtracting(.caseInsensitive)
    let isComposing = flags.ignoresCase && options.isEmpty
    self.options = options
    self.isComposing = isComposing
    var source = pattern
    let folded = source.withUTF8 { bytes in
      Self.fold(bytes, options, isComposing) { String(decoding: $0, as: UTF8.self) }
    }
    // Parsing the original pattern first makes errors refer to it.
    if folded != pattern { _ = try PatternParser.parse(pattern, flags) }
    matcher = PatternMatcher(try PatternProgram(PatternParser.parse(folded, flags)))
  }

  /// The number of steps of all matches.
  package var steps: Int { matcher.steps }

  /// Matches a text in well-formed UTF-8.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - mustStop: Is asked every few thousand steps.
  /// - Returns: Whether it matches all of the text; `nil` if `mustStop` returned `true`.
  package func matches(
    _ text: UnsafeBufferPointer<UInt8>,
    unless mustStop: () -> Bool
  ) -> Bool? {
    Self.fold(text, options, isComposing) { matcher.matches($0, unless: mustStop) }
  }

  private static func fold<Result>(
    _ text: UnsafeBufferPointer<UInt8>,
    _ options: QueryExpression.TextOptions,
    _ isComposing: Bool,
    _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    isComposing ? TextFolding.composing(text, body) : TextFolding.with(text, options, body)
  }

  /// Returns whether it matches all of a text, without a limit of time.
  package func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { matches($0) { false } } ?? false
  }
}

@available(*, unavailable)
extension TextPattern: Sendable {}
