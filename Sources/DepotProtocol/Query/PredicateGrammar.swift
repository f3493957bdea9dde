/// A reader of an expression from tokens, by operator precedence.
///
/// It calls itself only for parentheses, braces, and prefix operators, whose nesting is bounded.
struct PredicateGrammar {
  /// An expression with the depth of its tree.
  struct Part {
    var expression: QueryExpression
    var depth: Int
  }

  /// A level of the tree takes at most two: a prefix and a parenthesis.
  private static let nestingLimit = 2 * Limits.predicateDepth

  private let tokens: [PredicateToken]
  var index = 0
  private var nodes = 0
  var nesting = 0

  init(_ tokens: [PredicateToken]) {
    self.tokens = tokens
  }

  var current: PredicateToken { tokens[index] }

  /// Reads all tokens as one predicate.
  mutating func predicate() throws(PredicateFailure) -> QueryExpression {
    guard current.kind != .end else {
      throw PredicateFailure(
        "The predicate is empty.",
        hint: "TRUEPREDICATE is true of every row.",
        at: 0
      )
    }
    let part = try expression(.or)
    guard current.kind == .end else { throw PredicateAdvice.noOperator(current) }
    return part.expression
  }

  mutating func expression(_ minimum: PredicateLevel) throws(PredicateFailure) -> Part {
    var left = try prefix(minimum)
    while let found = PredicateOperator(current), found.level >= minimum {
      left = try infix(found, left)
      if found.level == .comparison, let next = PredicateOperator(current),
        next.level == .comparison
      {
        throw PredicateFailure(
          "Comparisons can't be chained.",
          hint: "Join two comparisons with AND, or write BETWEEN {low, high}.",
          at: current.offset
        )
      }
    }
    return left
  }

  private mutating func infix(
    _ found: PredicateOperator,
    _ left: Part
  ) throws(PredicateFailure) -> Part {
    let offset = current.offset
    index += 1
    switch found {
    case .and, .or:
      var parts = [left, try expression(found.level.tighter)]
      while PredicateOperator(current) == found {
        index += 1
        parts.append(try expression(found.level.tighter))
      }
      let list = parts.map(\.expression)
      return try node(found == .and ? .and(list) : .or(list), over: parts, at: offset)
    case .comparison(let comparison):
      let options = try self.options()
      let right = try expression(.sum)
      return try node(
        .comparison(comparison, left.expression, right.expression, options: options),
        over: [left, right],
        at: offset
      )
    case .text(let test):
      let options = try self.options()
      let right = try expression(.sum)
      return try node(
        .text(test, left.expression, right.expression, options: options),
        over: [left, right],
        at: offset
      )
    case .between: return try between(left, offset)
    case .in:
      let options = try self.options()
      let parts = try list("IN takes a list in braces: IN {1, 2}.")
      return try node(
        .in(left.expression, parts.map(\.expression), options: options),
        over: [left] + parts,
        at: offset
      )
    case .arithmetic(let arithmetic):
      let right = try expression(found.level.tighter)
      return try node(
        .arithmetic(arithmetic, left.expression, right.expression),
        over: [left, right],
        at: offset
      )
    }
  }

  private mutating func between(_ left: Part, _ offset: Int) throws(PredicateFailure) -> Part {
    let hint = "BETWEEN takes two values in braces: BETWEEN {low, high}."
    let parts = try list(hint)
    guard parts.count == 2 else {
      throw PredicateFailure("BETWEEN can't take \(parts.count) values.", hint: hint, at: offset)
    }
    return try node(
      .between(left.expression, parts[0].expression, parts[1].expression),
      over: [left] + parts,
      at: offset
    )
  }

  /// Reads `[c]`, `[d]`, or `[cd]` if it is there.
  private mutating func options() throws(PredicateFailure) -> QueryExpression.TextOptions {
    guard skip(.openBracket) else { return [] }
    let hint = "The options are [c], [d], and [cd]."
    guard case .word(let letters) = current.kind,
      let options = QueryExpression.TextOptions(letters: letters)
    else {
      let letters = if case .word(let word) = current.kind { word.lowercased() } else { "" }
      let isKnown = !letters.isEmpty && letters.allSatisfy { "cdnl".contains($0) }
      throw PredicateFailure(
        isKnown ? "The options [n] and [l] aren't available." : "There is no such option.",
        hint: hint,
        at: current.offset
      )
    }
    index += 1
    guard skip(.closeBracket) else {
      throw PredicateFailure("Expected \"]\".", hint: hint, at: current.offset)
    }
    return options
  }

  private mutating func list(_ hint: String) throws(PredicateFailure) -> [Part] {
    guard skip(.openBrace) else {
      throw PredicateFailure(
        "Expected \"{\", found \(current.description).",
        hint: hint,
        at: current.offset
      )
    }
    try enter()
    defer { nesting -= 1 }
    var parts: [Part] = []
    if skip(.closeBrace) { return parts }
    while true {
      parts.append(try expression(.or))
      if skip(.closeBrace) { return parts }
      try expect(.comma, or: .closeBrace)
    }
  }

  mutating func enter() throws(PredicateFailure) {
    nesting += 1
    guard nesting <= Self.nestingLimit else { throw .tooLarge(at: current.offset) }
  }

  mutating func leaf(
    _ expression: QueryExpression,
    at offset: Int
  ) throws(PredicateFailure) -> Part {
    try node(expression, over: [], at: offset)
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

  /// Returns the current token and moves past it, unless it is the end.
  mutating func take() -> PredicateToken {
    let token = current
    if token.kind != .end { index += 1 }
    return token
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
    throw PredicateFailure(
      "Expected \"\(sign.rawValue)\"\(choice), found \(current.description).",
      at: current.offset
    )
  }
}
