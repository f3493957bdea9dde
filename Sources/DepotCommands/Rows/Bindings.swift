internal import DepotProtocol

/// The predicates and expressions of a command line, with the values of their variables.
struct Bindings {
  private var variables: VariableBindings

  /// Reads the values of `--bind`.
  ///
  /// The text after `=` is a string, and the text after `:=` is JSON.
  ///
  /// - Throws: ``DepotError`` `request.usage` if one can't be read or is repeated.
  init(_ invocation: Invocation) throws(DepotError) {
    var values: [String: Value] = [:]
    for text in invocation.values(.bind) {
      let (name, value) = try Self.read(text)
      guard values.updateValue(value, forKey: name) == nil else {
        throw DepotError(.usage, "$\(name) gets two values.")
      }
    }
    variables = VariableBindings(values)
  }

  private static func read(_ text: String) throws(DepotError) -> (String, Value) {
    let (word, value) = try Selection.pair(
      text,
      orThat: "gives no variable a value",
      "Write --bind name=text, or --bind name:=JSON."
    )
    let isJSON = word.last == ":"
    let name = String(word.dropFirst(word.first == "$" ? 1 : 0).dropLast(isJSON ? 1 : 0))
    if !isJSON { return (name, .string(value)) }
    guard let json = try? JSONValue(parsing: value.utf8), let constant = constant(json) else {
      throw DepotError(.usage, "The value of $\(name) is no JSON constant or list of constants.")
        .hint("Behind := goes JSON, such as 42 or [1,2]; behind = goes plain text.")
    }
    return (name, constant)
  }

  /// Returns a JSON value as a constant; `nil` for an object.
  static func constant(_ value: JSONValue) -> Value? {
    switch value {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .int64(let number): return .int64(number)
    case .double(let number): return .double(number)
    case .string(let text): return .string(text)
    case .array(let elements):
      let constants = elements.compactMap(constant)
      return constants.count == elements.count ? .list(constants) : nil
    case .object: return nil
    }
  }

  /// Returns the predicate that a text writes.
  mutating func predicate(_ text: String) throws(DepotError) -> QueryExpression {
    try PredicateParser.parse(text, &variables, as: .predicate)
  }

  /// Returns the expression that a text writes.
  mutating func expression(_ text: String) throws(DepotError) -> QueryExpression {
    try PredicateParser.parse(text, &variables, as: .expression)
  }

  /// - Throws: ``DepotError`` `request.usage` if a variable wasn't used.
  func finish() throws(DepotError) { try variables.finish() }
}
