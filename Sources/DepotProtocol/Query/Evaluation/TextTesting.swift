/// The holding of one text against another.
///
/// The pattern must be folded already by the options, except that of `matches`. It isn't
/// `Sendable`, since it remembers the regular expression that was used last.
package final class TextTesting {
  private var source: [UInt8] = []
  private var options: QueryExpression.TextOptions = []
  private var pattern: TextPattern?
  private var isFilled = false

  package init() {}

  /// Returns whether well-formed UTF-8 holds against a pattern.
  package func holds(
    _ test: QueryExpression.TextTest,
    _ text: UnsafeBufferPointer<UInt8>,
    _ pattern: UnsafeBufferPointer<UInt8>,
    _ options: QueryExpression.TextOptions
  ) -> Bool {
    let options = options.effective
    switch test {
    case .contains: return Self.isContained(text, pattern, options)
    case .begins:
      return TextFolding.with(text, options) { text in
        text.count >= pattern.count && Self.isEqual(text.prefix(pattern.count), pattern)
      }
    case .ends:
      return TextFolding.with(text, options) { text in
        text.count >= pattern.count && Self.isEqual(text.suffix(pattern.count), pattern)
      }
    case .like:
      return TextFolding.with(text, options) { WildcardPattern.matches($0, pattern) }
    case .matches:
      return compiled(pattern, options)?.matches(text) ?? false
    }
  }

  private static func isContained(
    _ text: UnsafeBufferPointer<UInt8>,
    _ needle: UnsafeBufferPointer<UInt8>,
    _ options: QueryExpression.TextOptions
  ) -> Bool {
    if options.isEmpty || ASCIIText.isASCII(text) {
      let ignoresCase = options.contains(.caseInsensitive)
      return ASCIIText.contains(text, needle, ignoresCase: ignoresCase)
    }
    return TextFolding.with(text, options) {
      ASCIIText.contains($0, needle, ignoresCase: false)
    }
  }

  private static func isEqual(
    _ left: Slice<UnsafeBufferPointer<UInt8>>,
    _ right: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard let base = UnsafeBufferPointer(rebasing: left).baseAddress else { return right.isEmpty }
    return ASCIIText.matches(base, right, ignoresCase: false)
  }

  /// Returns the compiled pattern, which a statement uses for all of its rows.
  private func compiled(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ options: QueryExpression.TextOptions
  ) -> TextPattern? {
    if isFilled, self.options == options, source.elementsEqual(bytes) { return pattern }
    source = Array(bytes)
    self.options = options
    isFilled = true
    pattern =
      bytes.count > TextPattern.byteLimit
      ? nil : try? TextPattern(String(decoding: bytes, as: UTF8.self), options)
    return pattern
  }
}

@available(*, unavailable)
extension TextTesting: Sendable {}
