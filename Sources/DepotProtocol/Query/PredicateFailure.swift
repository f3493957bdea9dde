/// The reason why a text isn't a predicate, before it becomes an error of the protocol.
struct PredicateFailure: Error {
  var code = DepotError.Code.predicate
  var message: String
  var hint: String?
  /// The offset of the problem in bytes.
  var offset: Int

  init(_ message: String, at offset: Int) {
    self.message = message
    self.offset = offset
  }

  /// Returns the failure with a suggestion.
  func hint(_ hint: String?) -> PredicateFailure {
    var copy = self
    copy.hint = hint
    return copy
  }

  /// Returns the failure that a number has too many digits for its form.
  static func numberTooLarge(
    _ message: String = "The number is too large.",
    at offset: Int
  ) -> PredicateFailure {
    PredicateFailure(message, at: offset)
      .hint("Numbers of up to 38 digits are written CAST(\"…\", \"decimal\").")
  }

  /// Returns the failure that the text is too large; by default in parts or levels.
  static func tooLarge(
    _ message: String = Self.size,
    at offset: Int
  ) -> PredicateFailure {
    var failure = PredicateFailure(message, at: offset)
    failure.code = .predicateTooLarge
    return failure
  }

  static let size =
    "The predicate has over \(Limits.predicateNodes) parts or \(Limits.predicateDepth) levels."

  /// Returns the error for users, with a line that points at the place if the text is short.
  func described(in text: String) -> DepotError {
    let before = String(decoding: text.utf8.prefix(offset), as: UTF8.self)
    let line = before.split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
    let column = line.count + 1
    var lines = hint.map { [$0] } ?? []
    if text.count <= 100, !text.unicodeScalars.contains(where: { $0.value < 0x20 }) {
      lines += ["  " + text, "  " + String(repeating: " ", count: line.count) + "^"]
    }
    return DepotError(code, message)
      .hint(lines.isEmpty ? nil : lines.joined(separator: "\n"))
      .details(["offset": .int64(Int64(offset)), "column": .int64(Int64(column))])
  }
}
