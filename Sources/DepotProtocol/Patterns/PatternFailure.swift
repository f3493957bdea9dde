/// The reason why a text isn't a regular expression that the service accepts.
package struct PatternFailure: Error, Hashable {
  /// The mistake and its place, as a sentence.
  package var message: String
  /// A hint at a correct form.
  package var hint: String?
  /// The offset of the problem, in scalars of the pattern.
  package var offset: Int

  init(_ what: String, at offset: Int) {
    message = "\(what), at character \(offset + 1) of the regular expression."
    self.offset = offset
  }

  /// Returns the failure with a hint at a correct form.
  func hint(_ hint: String) -> PatternFailure {
    var copy = self
    copy.hint = hint
    return copy
  }
}

extension PatternFailure {
  /// Returns the failure that a construct can't be decided in one pass over the text.
  static func notRegular(_ construct: String, at offset: Int) -> PatternFailure {
    PatternFailure("There is \(construct), which isn't supported", at: offset)
  }
}
