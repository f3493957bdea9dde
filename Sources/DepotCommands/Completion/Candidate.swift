/// A candidate for completing a command line.
struct Candidate: Hashable, Sendable {
  /// The whole word.
  var text: String
  /// A line that explains it; empty if none is needed.
  var description = ""

  /// Returns the candidate with a prefix before its text.
  func following(_ prefix: some StringProtocol) -> Candidate {
    Candidate(text: prefix + text, description: description)
  }

  /// Stands for the names of files.
  static let files = Candidate(text: ":files")
}

/// A kind of word for a value or an operand.
enum Candidates: Sendable {
  case none
  case files
  case entities
  /// Key paths, separated by commas.
  case paths(PathCompletion.Kind)
  /// Sort keys, separated by commas.
  case sortKeys
  case predicate
  /// Assignments to properties, one in each operand.
  case assignments
  /// The words of a verb, or a help topic.
  case help
  case words([String])

  var areFiles: Bool { if case .files = self { true } else { false } }
}
