internal import DepotLinux
internal import DepotProtocol

/// The effect of the Tab key on a line of the shell.
struct ShellCompletion: Equatable {
  /// The text that is inserted at the cursor.
  var insertion = ""
  /// The candidates, if there are several.
  var choices: [String] = []

  /// Completes the text before the cursor.
  init(
    _ head: String,
    of verbs: VerbTable,
    schema: @escaping (Invocation) -> Schema?,
    files: (String) -> [String] = FileSystem.names
  ) {
    let words = CommandWords(head)
    var current = words.current
    if current.count > 1, current.first == "depot" { current.removeFirst() }
    guard let word = current.last else { return }
    let completer = Completer(current, of: verbs, schema: schema)
    var candidates = completer.candidates
    if current.count == 1 {
      candidates += ["help", "exit"].filter { $0.hasPrefix(word) && !candidates.contains($0) }
    }
    if candidates == [":files"] { candidates = Self.files(word, files) }
    guard let first = candidates.first else { return }
    let common = candidates.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    if common.count > word.count { insertion = words.typed(common.dropFirst(word.count)) }
    if candidates.count == 1 {
      // In a predicate other words follow.
      if !completer.isInPredicate { insertion += Self.end(of: first, words) }
    } else if insertion.isEmpty {
      choices = candidates.map { Self.lastPart($0, after: word) }
    }
  }

  /// Returns the text that ends a complete word: a quotation mark and a space.
  ///
  /// A word that can continue gets none.
  private static func end(of word: String, _ words: CommandWords) -> String {
    if Self.goesOn(word) { return "" }
    return (words.openQuote.map(String.init) ?? "") + " "
  }

  /// Whether a word continues without a space.
  static func goesOn(_ word: String) -> Bool { word.last.map { "=,/.(:".contains($0) } ?? false }

  private static func files(_ word: String, _ names: (String) -> [String]) -> [String] {
    let folder = word.lastIndex(of: "/").map { String(word[...$0]) } ?? ""
    let isHidden = word.dropFirst(folder.count).hasPrefix(".")
    return names(folder.isEmpty ? "." : folder).filter { isHidden || !$0.hasPrefix(".") }
      .map { folder + $0 }.filter { $0.hasPrefix(word) }
  }

  /// Removes the common beginning of all choices, such as folders or the start of a predicate.
  private static func lastPart(_ candidate: String, after word: String) -> String {
    let shared = candidate.commonPrefix(with: word)
    guard let end = shared.lastIndex(where: { " ,./(".contains($0) }) else { return candidate }
    return String(candidate[candidate.index(after: end)...])
  }

  /// Returns the choices in columns.
  func text(width: Int) -> String {
    let column = (choices.map(TextWidth.columns).max() ?? 0) + 2
    let count = max(1, width / column)
    let rows = (choices.count + count - 1) / count
    return (0..<rows).map { row in
      let line = stride(from: row, to: choices.count, by: rows)
        .map { TextWidth.fit(choices[$0], to: column) }.joined()
      return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
    }.joined()
  }
}

extension String {
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}
