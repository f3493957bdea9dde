extension QueryExpression.TextOptions {
  private static let named: [(letter: Character, option: Self)] = [
    ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized), ("l", .localized),
  ]

  /// A hint for users who wrote other letters.
  static let hint = "The options are [c], [d], [n], and [l], and any of them together, as in [cd]."

  /// Reads `c`, `d`, `n`, and `l` in any order and case; `nil` for other letters and for none.
  package init?(letters: String) {
    self = []
    for letter in letters.lowercased() {
      guard let found = Self.named.first(where: { $0.letter == letter }) else { return nil }
      insert(found.option)
    }
    if isEmpty { return nil }
  }

  /// The letters that stand for the options.
  package var letters: String {
    String(Self.named.filter { contains($0.option) }.map(\.letter))
  }
}
