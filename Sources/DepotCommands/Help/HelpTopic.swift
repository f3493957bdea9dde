/// A help text about a subject of several verbs.
struct HelpTopic: Sendable {
  /// A piece of the text.
  enum Part: Sendable {
    case heading(String)
    case prose(String)
    /// Examples, each with its meaning.
    case examples([(String, String)])
    /// Lines that are shown unchanged.
    case code(String)
    /// Command lines.
    case commands([String])
  }

  /// The word after `depot help`.
  let name: String
  let summary: String
  let parts: [Part]

  /// All topics, in the order of the help.
  static let all = [predicates, schema]
}
