/// A regular expression, compiled.
package struct TextPattern {
  /// The longest pattern, in bytes, since a row may cost as many steps as text and pattern multiplied.
  package static let byteLimit = 1000

  private let regex: Regex<AnyRegexOutput>
  private let options: QueryExpression.TextOptions

  /// Compiles `pattern`.
  ///
  /// - Throws: An error of the compiler, whose description is for people.
  package init(_ pattern: String, _ options: QueryExpression.TextOptions) throws {
    let marks = options.effective.subtracting(.caseInsensitive)
    let regex = try Regex(TextFolding.fold(pattern, marks))
    self.regex = options.effective.contains(.caseInsensitive) ? regex.ignoresCase() : regex
    self.options = marks
  }

  /// Whether it matches all of `text`.
  package func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    TextFolding.with(text, options) { folded in
      (try? regex.wholeMatch(in: String(decoding: folded, as: UTF8.self))) != nil
    }
  }
}
