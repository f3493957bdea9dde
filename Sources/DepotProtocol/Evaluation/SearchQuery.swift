/// A search for words, as users write it.
///
/// All words must occur: `quick fox`. `"quick fox"` are adjacent words, `qui*` is any word with
/// that beginning, `fox OR dog` is either word, and `-dog` or `NOT dog` must not occur. Case and
/// marks don't matter. All characters other than letters and digits only separate words, so that
/// `well-known` is two adjacent words.
package struct SearchQuery: Hashable, Sendable {
  /// The alternatives, at least one must match; each requires at least one word.
  package let branches: [Branch]

  package struct Branch: Hashable, Sendable {
    package var wanted: [Phrase] = []
    package var excluded: [Phrase] = []
  }

  /// Words next to each other.
  package struct Phrase: Hashable, Sendable {
    /// The words as they were written, with their separators.
    package var text: String
    /// Whether the last word also matches words that begin with it.
    package var isPrefix = false
  }

  /// The most words and phrases of a query.
  package static let phraseLimit = 64

  /// - Throws: ``DepotError`` `request.predicate`, with the `offset` in bytes of UTF-8 and the
  ///   `column`, or `limit.predicate` if there are too many words.
  package init(_ text: String) throws(DepotError) {
    do {
      var reader = SearchReader(text)
      branches = try reader.branches()
    } catch {
      throw error.described(in: text)
    }
  }
}

extension SearchQuery {
  /// Reads the words of a search that is a part of a predicate.
  ///
  /// - Throws: ``DepotError`` as the initializer does, with the words in its message.
  package static func read(_ words: String) throws(DepotError) -> SearchQuery {
    do {
      return try SearchQuery(words)
    } catch {
      var error = error
      error.message = "In the search \(words.quoted): \(error.message)"
      throw error
    }
  }

  /// The query in the syntax of SQLite's FTS5.
  ///
  /// Every word is in quotation marks, so no word of a user is an operator of FTS5.
  package var fts5: String {
    branches.map { branch in
      let wanted = "(" + branch.wanted.map(\.fts5).joined(separator: " AND ") + ")"
      guard !branch.excluded.isEmpty else { return wanted }
      return "(\(wanted) NOT (\(branch.excluded.map(\.fts5).joined(separator: " OR "))))"
    }
    .joined(separator: " OR ")
  }

  /// The query in the syntax of FTS5, for some columns only.
  package func fts5(in columns: [String]) -> String {
    let names = columns.map { "\"\($0)\"" }.joined(separator: " ")
    return "{\(names)} : (\(fts5))"
  }

  /// Returns whether the words are in texts of one row.
  package func matches(_ texts: [String]) -> Bool {
    let texts = texts.map(SearchWords.words)
    func holds(_ phrase: Phrase) -> Bool {
      let words = SearchWords.words(phrase.text)
      return texts.contains { SearchWords.contain($0, words, isPrefix: phrase.isPrefix) }
    }
    return branches.contains { branch in
      branch.wanted.allSatisfy(holds) && !branch.excluded.contains(where: holds)
    }
  }
}

extension SearchQuery.Phrase {
  fileprivate var fts5: String { isPrefix ? "\"\(text)\" *" : "\"\(text)\"" }
}

/// Reads a ``SearchQuery``.
private struct SearchReader {
  private let text: String
  private var rest: Substring.UnicodeScalarView
  private var count = 0

  init(_ text: String) {
    self.text = text
    rest = text[...].unicodeScalars
  }

  private enum Token {
    case or
    case not
    case phrase(SearchQuery.Phrase)
  }

  private func offset(of index: String.Index) -> Int { text.utf8[..<index].count }

  mutating func branches() throws(PredicateFailure) -> [SearchQuery.Branch] {
    var branches = [SearchQuery.Branch()]
    var isExcluded = false
    var last = rest.startIndex
    while true {
      skipSpace()
      let start = rest.startIndex
      guard let token = try token() else { break }
      last = start
      switch token {
      case .or:
        try finish(branches[branches.count - 1], isExcluded, at: start)
        branches.append(SearchQuery.Branch())
      case .not:
        guard !isExcluded else {
          throw PredicateFailure("There are two NOT in a row.", at: offset(of: start))
        }
        isExcluded = true
      case .phrase(let phrase):
        // Phrases without letters and digits aren't searched for.
        guard !SearchWords.words(phrase.text).isEmpty else { continue }
        count += 1
        guard count <= SearchQuery.phraseLimit else {
          throw .tooLarge(
            "A search may have at most \(SearchQuery.phraseLimit) words.",
            at: offset(of: start)
          )
        }
        if isExcluded {
          branches[branches.count - 1].excluded.append(phrase)
        } else {
          branches[branches.count - 1].wanted.append(phrase)
        }
        isExcluded = false
      }
    }
    try finish(branches[branches.count - 1], isExcluded, at: isExcluded ? last : rest.startIndex)
    return branches
  }

  private func finish(
    _ branch: SearchQuery.Branch,
    _ isExcluded: Bool,
    at index: String.Index
  ) throws(PredicateFailure) {
    if isExcluded {
      throw PredicateFailure("A word is missing after NOT.", at: offset(of: index))
    }
    guard branch.wanted.isEmpty else { return }
    guard branch.excluded.isEmpty else {
      throw PredicateFailure("There are only words that must not occur.", at: offset(of: index))
        .hint("Name a word to search for, or put NOT before the whole predicate.")
    }
    throw PredicateFailure("There is no word to search for.", at: offset(of: index))
      .hint("Write words, \"several words\" in a row, or the beginning of one, as in wor*.")
  }

  private mutating func skipSpace() {
    while let next = rest.first, Self.isSpace(next) { rest.removeFirst() }
  }

  /// SQLite ends a text at U+0000, so it separates words like a space.
  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value == 0 || scalar.properties.isWhitespace
  }

  private mutating func token() throws(PredicateFailure) -> Token? {
    guard let first = rest.first else { return nil }
    if first == "\"" { return .phrase(try quoted()) }
    if first == "-", let next = rest.dropFirst().first, !Self.isSpace(next) {
      rest.removeFirst()
      return .not
    }
    var word = String.UnicodeScalarView()
    while let next = rest.first, next != "\"", !Self.isSpace(next) {
      rest.removeFirst()
      word.append(next)
      if next == "*" { break }
    }
    switch String(word) {
    case "OR": return .or
    case "NOT": return .not
    // All words must occur by default.
    case "AND": return .phrase(SearchQuery.Phrase(text: ""))
    case let text:
      guard text.last == "*" else { return .phrase(SearchQuery.Phrase(text: text)) }
      return .phrase(SearchQuery.Phrase(text: String(text.dropLast()), isPrefix: true))
    }
  }

  private mutating func quoted() throws(PredicateFailure) -> SearchQuery.Phrase {
    let start = rest.startIndex
    rest.removeFirst()
    var phrase = String.UnicodeScalarView()
    while let next = rest.first, next != "\"" {
      rest.removeFirst()
      phrase.append(next.value == 0 ? " " : next)
    }
    guard !rest.isEmpty else {
      throw PredicateFailure("The quotation mark isn't closed.", at: offset(of: start))
        .hint("Put one after the last word.")
    }
    rest.removeFirst()
    var isPrefix = false
    if rest.first == "*" {
      rest.removeFirst()
      isPrefix = true
    }
    return SearchQuery.Phrase(text: String(phrase), isPrefix: isPrefix)
  }
}
