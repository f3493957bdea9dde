/// A candidate for completing a command line.
struct Candidate: Hashable, Sendable {
  /// The whole word.
  var text: String
  /// A line that explains it; empty if none is needed.
  var description = ""

  /// Returns the candidate with something before its text.
  func following(_ prefix: some StringProtocol) -> Candidate {
    Candidate(text: prefix + text, description: description)
  }

  /// Stands for the names of files.
  static let files = Candidate(text: ":files")
}

/// A kind of words that a value or an operand may be.
enum Candidates: Sendable {
  case none
  case files
  case entities
  /// Key paths, with commas between.
  case paths(PathCompletion.Kind)
  /// Keys to sort by, with commas between.
  case sortKeys
  case predicate
  /// Properties that get values, one in each operand.
  case assignments
  /// The words of a verb, or a topic of the help.
  case help
  case words([String])

  var areFiles: Bool { if case .files = self { true } else { false } }
}
