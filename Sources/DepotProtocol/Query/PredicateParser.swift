/// A parser of predicates in Core Data's format language.
///
/// It knows the operators of a single row: comparison, logic, arithmetic, strings, `BETWEEN`, and
/// `IN`. Keywords may be written in either case; `#` before a name makes it an attribute even if it
/// is a keyword. `SELF` is the identifier of the row, `now()` the time of the query, and
/// `CAST("…", "type")` a value of a type that has no literal. Parts joined by one `AND` or `OR`
/// stay one list; parentheses are kept as the tree's own levels.
public enum PredicateParser {
  /// The longest text, in bytes of UTF-8.
  public static let textBytes = 1 << 16

  /// Returns the expression that `text` writes.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if the text can't be read, `limit.predicate` if it
  ///   is too long or too deep; `details` holds the `offset` in UTF-8 and the `column` from 1.
  public static func parse(_ text: String) throws(DepotError) -> QueryExpression {
    guard text.utf8.count <= textBytes else {
      throw DepotError(
        .predicateTooLarge,
        "A predicate of \(text.utf8.count) bytes is over the limit of \(textBytes)."
      )
    }
    do {
      var lexer = PredicateLexer(text)
      var grammar = PredicateGrammar(try lexer.tokens())
      return try grammar.predicate()
    } catch {
      throw error.described(in: text)
    }
  }
}

/// A reason why a text isn't a predicate, before it is put in the terms of the protocol.
struct PredicateFailure: Error {
  var code = DepotError.Code.predicate
  var message: String
  var hint: String?
  /// The number of bytes before the place in question.
  var offset: Int

  init(_ message: String, hint: String? = nil, at offset: Int) {
    self.message = message
    self.hint = hint
    self.offset = offset
  }

  /// Returns the failure that the predicate has too many parts or levels.
  static func tooLarge(at offset: Int) -> PredicateFailure {
    var failure = PredicateFailure(
      "The predicate has over \(Limits.predicateNodes) parts or \(Limits.predicateDepth) levels.",
      at: offset
    )
    failure.code = .predicateTooLarge
    return failure
  }

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
