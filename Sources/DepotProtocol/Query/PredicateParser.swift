/// A parser of predicates and other expressions in Core Data's format language.
///
/// Keywords and the names of functions may be written in either case; `#` before a name makes it an
/// attribute even if it is a keyword. `SELF` is the row, `now()` the time of the query, and
/// `CAST("…", "type")` a value of a type that has no literal. Operands of one chain of `AND` or
/// `OR` become one list; parentheses make levels of their own.
///
/// It doesn't know the schema: `tags CONTAINS "x"` is parsed as a test of text. The engine treats
/// it as ``QueryExpression/contains(_:_:)`` if `tags` is a collection.
public enum PredicateParser {
  /// The longest text, in bytes of UTF-8.
  public static let textBytes = 1 << 16

  /// The kind of text, for error messages.
  package enum Subject: String, Sendable {
    case predicate
    case expression
  }

  /// Returns the predicate that `text` writes, with a value for each of its variables.
  ///
  /// `values` has the variables' names without `$`; each must occur in the text. A list, for
  /// `IN $names` and `BETWEEN $range`, is a ``Value/list(_:)``.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if the text can't be read or a variable has no value,
  ///   `request.usage` if a value isn't used, `limit.predicate` if the text is too long or too deep.
  ///   `details` holds the `offset` in UTF-8 and the `column` from 1.
  public static func parse(
    _ text: String,
    binding values: [String: Value] = [:]
  ) throws(DepotError) -> QueryExpression {
    var bindings = VariableBindings(values)
    let expression = try parse(text, &bindings, as: .predicate)
    try bindings.finish()
    return expression
  }

  /// Returns the expression that `text` writes: a derivation, a computed value, or a key.
  ///
  /// Keys are for sorting and grouping.
  ///
  /// - Throws: as ``parse(_:binding:)``.
  public static func parseExpression(
    _ text: String,
    binding values: [String: Value] = [:]
  ) throws(DepotError) -> QueryExpression {
    var bindings = VariableBindings(values)
    let expression = try parse(text, &bindings, as: .expression)
    try bindings.finish()
    return expression
  }

  /// Parses one of several texts that share `bindings`; the caller finishes the bindings.
  package static func parse(
    _ text: String,
    _ bindings: inout VariableBindings,
    as subject: Subject
  ) throws(DepotError) -> QueryExpression {
    guard text.utf8.count <= textBytes else {
      throw DepotError(
        .predicateTooLarge,
        "A predicate of \(text.utf8.count) bytes is over the limit of \(textBytes)."
      ).hint("Bind long lists to variables: id IN $ids.")
    }
    let expression: QueryExpression
    var grammar: PredicateGrammar
    do {
      var lexer = PredicateLexer(text)
      grammar = PredicateGrammar(try lexer.tokens(), bindings)
      expression = try grammar.whole(subject)
    } catch {
      throw error.described(in: text)
    }
    bindings = grammar.bindings
    try bindings.count(nodes: grammar.nodes)
    return expression
  }
}
