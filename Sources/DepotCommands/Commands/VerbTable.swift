internal import DepotProtocol

/// The verbs of a program.
struct VerbTable: Sendable {
  /// The verbs that the help and completion show, by their purposes.
  let groups: [VerbGroup]
  /// The verbs of the groups, in the order of the help.
  let visible: [Verb]
  /// These and the hidden ones.
  let all: [Verb]

  init(_ groups: [VerbGroup], hidden: [Verb]) {
    self.groups = groups
    visible = groups.flatMap(\.verbs)
    all = visible + hidden
  }

  /// Returns the error about an unknown verb, with the nearest verb after `words`.
  func unknownVerb(
    _ word: String,
    after words: [String],
    or others: [String] = []
  ) -> DepotError {
    let candidates =
      others
      + visible.filter { $0.words.starts(with: words) }.map { $0.words[words.count] }
    let prefix = (words + [""]).joined(separator: " ")
    return DepotError(.usage, "There is no verb \"\(prefix)\(word)\".")
      .hint(
        Spelling.hint(for: word, in: candidates) { "\"\(prefix)\($0)\"" }
          ?? (words.isEmpty
            ? "See: depot --help" : "There are \(candidates.joined(separator: ", ")).")
      )
  }
}
