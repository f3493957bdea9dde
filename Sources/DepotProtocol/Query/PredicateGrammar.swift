/// A reader of an expression from tokens, by operator precedence.
///
/// It recurs only for parentheses, braces, and prefix operators, up to a limit of nesting.
@Memberwise("tokens", "bindings")
struct PredicateGrammar {
  /// An expression with the depth of its tree.
  struct Part {
    var expression: QueryExpression
    var depth: Int
    /// Whether a path that follows extends the path of this expression.
    var isOpen = false
  }

  /// A level of the tree takes at most two: a prefix and a parenthesis.
  private static let nestingLimit = 2 * Limits.predicateDepth

  let tokens: [PredicateToken]
  var index: Int = 0
  private(set) var nodes: Int = 0
  private var nesting = 0
  var bindings: VariableBindings
  /// The names of the elements of enclosing quantifiers and filters.
  var scope: [String] = []

  var current: PredicateToken { tokens[index] }

  /// Reads all tokens as one expression.
  mutating func whole(
    _ subject: PredicateParser.Subject
  ) throws(PredicateFailure)
    -> QueryExpression
  {
    guard current.kind != .end else {
      throw PredicateFailure("The \(subject.rawValue) is empty.", at: 0)
        .hint(subject == .predicate ? "TRUEPREDICATE is true of every row." : nil)
    }
    let part = try expression(.or)
    guard current.kind == .end else { throw PredicateAdvice.noOperator(current) }
    return part.expression
  }

  mutating func expression(_ minimum: PredicateLevel) throws(PredicateFailure) -> Part {
    var left = try prefix(minimum)
    while let found = PredicateOperator(current), found.level >= minimum {
      left = try infix(found, left)
      if found.level == .comparison { try refuseChain() }
    }
    return left
  }

  func refuseChain() throws(PredicateFailure) {
    guard let next = PredicateOperator(current), next.level == .comparison else { return }
    throw current.failure("Comparisons can't be chained.")
      .hint("Join two comparisons with AND, or write BETWEEN {low, high}.")
  }

  /// Counts one more level of nesting, such as a pair of parentheses; the caller leaves it again.
  mutating func enter() throws(PredicateFailure) {
    nesting += 1
    guard nesting <= Self.nestingLimit else { throw .tooLarge(at: current.offset) }
  }

  mutating func leave() {
    nesting -= 1
  }

  mutating func leaf(
    _ expression: QueryExpression,
    at offset: Int
  ) throws(PredicateFailure) -> Part {
    try node(expression, over: [], at: offset)
  }

  /// Returns an expression composed of its parts.
  mutating func node(
    over parts: [Part],
    at offset: Int,
    _ make: ([QueryExpression]) -> QueryExpression
  ) throws(PredicateFailure) -> Part {
    try node(make(parts.map(\.expression)), over: parts, at: offset)
  }

  mutating func node(
    _ expression: QueryExpression,
    over parts: [Part],
    at offset: Int
  ) throws(PredicateFailure) -> Part {
    nodes += 1
    let depth = 1 + (parts.map(\.depth).max() ?? 0)
    guard nodes <= Limits.predicateNodes, depth <= Limits.predicateDepth else {
      throw .tooLarge(at: offset)
    }
    return Part(expression: expression, depth: depth)
  }

  /// Doesn't count the last leaf, which is a constant in a list.
  mutating func discount() {
    nodes -= 1
  }

  /// Returns the current token and moves past it, unless it is the end.
  mutating func take() -> PredicateToken {
    let token = current
    if token.kind != .end { index += 1 }
    return token
  }

  /// The token after the current one, or the end.
  func next(_ distance: Int = 1) -> PredicateToken {
    tokens[min(index + distance, tokens.count - 1)]
  }

  mutating func skip(_ sign: PredicateToken.Sign) -> Bool {
    guard current.kind == .sign(sign) else { return false }
    index += 1
    return true
  }

  mutating func expect(
    _ sign: PredicateToken.Sign,
    or other: PredicateToken.Sign? = nil
  ) throws(PredicateFailure) {
    if skip(sign) { return }
    // A word here is most often a misspelt operator.
    if case .word = current.kind { throw PredicateAdvice.noOperator(current) }
    let choice = other.map { " or \"\($0.rawValue)\"" } ?? ""
    throw current.failure("Expected \"\(sign.rawValue)\"\(choice), found \(current.description).")
  }

  /// Refuses a single value where a collection is expected.
  func collection(_ part: Part, at offset: Int) throws(PredicateFailure) -> Part {
    guard part.expression.isScalarConstant else { return part }
    throw PredicateFailure("Expected a collection, found a value.", at: offset)
      .hint("A list of values is written in braces: {1, 2}.")
  }
}
