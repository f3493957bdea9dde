internal import DepotProtocol

/// A regular expression, compiled.
struct TextPattern {
  private let regex: Regex<AnyRegexOutput>
  private let options: QueryExpression.TextOptions

  /// Compiles `pattern`.
  ///
  /// - Throws: An error of the compiler, whose description is for people.
  init(_ pattern: String, _ options: QueryExpression.TextOptions) throws {
    let marks = options.intersection(.diacriticInsensitive)
    let regex = try Regex(TextFolding.fold(pattern, marks))
    self.regex = options.contains(.caseInsensitive) ? regex.ignoresCase() : regex
    self.options = marks
  }

  /// Whether it matches all of `text`.
  func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    TextFolding.with(text, options) { folded in
      (try? regex.wholeMatch(in: String(decoding: folded, as: UTF8.self))) != nil
    }
  }
}
