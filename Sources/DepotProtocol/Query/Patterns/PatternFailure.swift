/// A reason why a text isn't a regular expression that the service takes.
package struct PatternFailure: Error, Hashable {
  /// The mistake and its place, as a sentence.
  package var message: String
  /// A hint at the right form.
  package var hint: String?
  /// How many scalars of the pattern precede the place in question.
  package var offset: Int

  init(_ what: String, hint: String? = nil, at offset: Int) {
    message = "\(what), at character \(offset + 1) of the regular expression."
    self.hint = hint
    self.offset = offset
  }
}

extension PatternFailure {
  /// Returns the failure that a construct can't be decided in one pass over the text.
  static func notRegular(_ construct: String, hint: String, at offset: Int) -> PatternFailure {
    PatternFailure("There is \(construct), which isn't supported", hint: hint, at: offset)
  }
}
