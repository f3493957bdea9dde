/// A kind of word for a value or an operand.
enum Candidates: Sendable {
  case none
  case files
  case entities
  /// Key paths, separated by commas.
  case paths(PathKind)
  /// Sort keys, separated by commas.
  case sortKeys
  case predicate
  /// Assignments to properties, one in each operand.
  case assignments
  /// The words of a verb, or a help topic.
  case help
  case words([String])

  /// The kinds of paths that may be completed.
  enum PathKind: Sendable {
    /// Any path to a value in the row or in a related row.
    case any
    /// Relationships only.
    case relationships
    /// The row's own properties.
    case assignable
  }

  var areFiles: Bool { if case .files = self { true } else { false } }
}
