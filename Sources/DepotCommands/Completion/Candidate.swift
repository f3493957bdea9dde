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
