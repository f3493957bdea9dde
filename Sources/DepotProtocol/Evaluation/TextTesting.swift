/// The comparison of texts with patterns.
///
/// A pattern must already be folded by the options, except the pattern of `matches`. The type isn't
/// `Sendable`, since it remembers the regular expressions used last.
package final class TextTesting {
  private static let limit = 4
  /// The regular expressions, the one used last first.
  private var patterns: [Entry] = []

  private struct Entry {
    var source: [UInt8]
    var options: QueryExpression.TextOptions
    /// The pattern; `nil` if the source isn't valid.
    var pattern: TextPattern?

    func isOf(
      _ bytes: UnsafeBufferPointer<UInt8>,
      _ options: QueryExpression.TextOptions
    ) -> Bool {
      self.options == options && source.count == bytes.count && source.elementsEqual(bytes)
    }
  }

  package init() {}

  /// Tests well-formed UTF-8 against a pattern.
  ///
  /// - Parameters:
  ///   - test: The test.
  ///   - text: The text.
  ///   - pattern: The pattern; no text matches a regular expression that is invalid.
  ///   - options: The differences to ignore.
  ///   - mustStop: Is asked now and then during long comparisons.
  /// - Returns: Whether the text matches; `nil` if `mustStop` returned `true`.
  package func holds(
    _ test: QueryExpression.TextTest,
    _ text: UnsafeBufferPointer<UInt8>,
    _ pattern: UnsafeBufferPointer<UInt8>,
    _ options: QueryExpression.TextOptions,
    unless mustStop: () -> Bool
  ) -> Bool? {
    let options = options.effective
    switch test {
    case .contains: return Self.isContained(text, pattern, options, unless: mustStop)
    case .begins:
      return TextFolding.with(text, options) { text in
        text.count >= pattern.count && Self.isEqual(text.prefix(pattern.count), pattern)
      }
    case .ends:
      return TextFolding.with(text, options) { text in
        text.count >= pattern.count && Self.isEqual(text.suffix(pattern.count), pattern)
      }
    case .like:
      return TextFolding.with(text, options) {
        WildcardPattern.matches($0, pattern, unless: mustStop)
      }
    case .matches:
      guard let pattern = compiled(pattern, options) else { return false }
      return pattern.matches(text, unless: mustStop)
    }
  }

  private static func isContained(
    _ text: UnsafeBufferPointer<UInt8>,
    _ needle: UnsafeBufferPointer<UInt8>,
    _ options: QueryExpression.TextOptions,
    unless mustStop: () -> Bool
  ) -> Bool? {
    if options.isEmpty || ASCIIText.isASCII(text) {
      let ignoresCase = options.contains(.caseInsensitive)
      return ASCIIText.contains(text, needle, ignoresCase: ignoresCase, unless: mustStop)
    }
    return TextFolding.with(text, options) {
      ASCIIText.contains($0, needle, ignoresCase: false, unless: mustStop)
    }
  }

  private static func isEqual(
    _ left: Slice<UnsafeBufferPointer<UInt8>>,
    _ right: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard let base = UnsafeBufferPointer(rebasing: left).baseAddress else { return right.isEmpty }
    return ASCIIText.matches(base, right, ignoresCase: false)
  }

  /// Returns a compiled pattern, which a statement uses for all of its rows.
  private func compiled(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ options: QueryExpression.TextOptions
  ) -> TextPattern? {
    if let first = patterns.first, first.isOf(bytes, options) { return first.pattern }
    let entry: Entry
    if let index = patterns.firstIndex(where: { $0.isOf(bytes, options) }) {
      entry = patterns.remove(at: index)
    } else {
      if patterns.count == Self.limit { patterns.removeLast() }
      let pattern = try? TextPattern(String(decoding: bytes, as: UTF8.self), options)
      entry = Entry(source: Array(bytes), options: options, pattern: pattern)
    }
    patterns.insert(entry, at: 0)
    return entry.pattern
  }
}

@available(*, unavailable)
extension TextTesting: Sendable {}
