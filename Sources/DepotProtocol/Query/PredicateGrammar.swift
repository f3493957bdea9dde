/// A reader of an expression from tokens, by operator precedence.
///
/// It calls itself only for parentheses, braces, and prefix operators, whose nesting is bounded.
struct PredicateGrammar {
  /// An expression with the depth of its tree.
  private struct Part {
    var expression: QueryExpression
    var depth: Int
  }

  /// A level of the tree takes at most two: a prefix and a parenthesis.
  private static let nestingLimit = 2 * Limits.predicateDepth

  private let tokens: [PredicateToken]
  private var index = 0
  private var nodes = 0
  private var nesting = 0

  init(_ tokens: [PredicateToken]) {
    self.tokens = tokens
  }

  private var current: PredicateToken { tokens[index] }

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

  // MARK: Operators

  private mutating func expression(_ minimum: PredicateLevel) throws(PredicateFailure) -> Part {
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

  // MARK: Operands

  private mutating func prefix(_ minimum: PredicateLevel) throws(PredicateFailure) -> Part {
    let token = current
    if token.kind == .sign(.not) || token.keyword == "NOT", minimum <= .not {
      index += 1
      try enter()
      defer { nesting -= 1 }
      let part = try expression(.not)
      return try node(.not(part.expression), over: [part], at: token.offset)
    }
    guard skip(.minus) else { return try primary() }
    try enter()
    defer { nesting -= 1 }
    switch current.kind {
    case .integer(let magnitude):
      index += 1
      return try leaf(.value(.int64(Int64(truncatingIfNeeded: 0 &- magnitude))), at: token.offset)
    case .double(let value):
      index += 1
      return try leaf(.value(.double(-value)), at: token.offset)
    default:
      let part = try prefix(.prefix)
      return try node(.negate(part.expression), over: [part], at: token.offset)
    }
  }

  private mutating func primary() throws(PredicateFailure) -> Part {
    let token = current
    switch token.kind {
    case .word(let word): return try named(word, token)
    case .sign(.openParenthesis): return try parenthesized()
    case .end:
      throw PredicateFailure("The predicate ends where a value should be.", at: token.offset)
    case .sign: throw PredicateAdvice.noValue(token)
    default: break
    }
    index += 1
    switch token.kind {
    case .name(let name): return try leaf(.attribute(name), at: token.offset)
    case .string(let text): return try leaf(.value(.string(text)), at: token.offset)
    case .double(let value): return try leaf(.value(.double(value)), at: token.offset)
    case .integer(let magnitude):
      guard let value = Int64(exactly: magnitude) else {
        throw PredicateFailure(
          "The number is too large.",
          hint: "Numbers of up to 38 digits are written CAST(\"…\", \"decimal\").",
          at: token.offset
        )
      }
      return try leaf(.value(.int64(value)), at: token.offset)
    case .variable(let name):
      guard name == "$id" || name == "$version" else {
        throw PredicateFailure(
          "There is no variable \(name).",
          hint: "$id and $version are the only names with $.",
          at: token.offset
        )
      }
      return try leaf(.attribute(name), at: token.offset)
    default: throw PredicateAdvice.noValue(token)
    }
  }

  private mutating func parenthesized() throws(PredicateFailure) -> Part {
    try enter()
    defer { nesting -= 1 }
    index += 1
    let part = try expression(.or)
    try expect(.closeParenthesis)
    return part
  }

  private mutating func named(
    _ word: String,
    _ token: PredicateToken
  ) throws(PredicateFailure) -> Part {
    let keyword = word.uppercased()
    if PredicateAdvice.quantifiers.contains(keyword) {
      throw PredicateFailure(
        "\(keyword) isn't available yet: attributes hold one value.",
        hint: "For an attribute of that name, write #\(word).",
        at: token.offset
      )
    }
    guard PredicateAdvice.reserved.contains(keyword) else {
      index += 1
      guard current.kind == .sign(.openParenthesis) else {
        return try leaf(.attribute(word), at: token.offset)
      }
      return try leaf(try function(word, token.offset), at: token.offset)
    }
    let constant: QueryExpression
    switch keyword {
    case "TRUEPREDICATE": constant = .and([])
    case "FALSEPREDICATE": constant = .or([])
    case "NULL", "NIL": constant = .value(.null)
    case "TRUE", "YES": constant = .value(.bool(true))
    case "FALSE", "NO": constant = .value(.bool(false))
    case "SELF": constant = .attribute("$id")
    default: throw PredicateAdvice.noValue(token)
    }
    index += 1
    return try leaf(constant, at: token.offset)
  }

  private mutating func function(
    _ word: String,
    _ offset: Int
  ) throws(PredicateFailure) -> QueryExpression {
    switch word.uppercased() {
    case "NOW":
      index += 1
      try expect(.closeParenthesis)
      return .now
    case "CAST":
      index += 1
      let isNegative = skip(.minus)
      let operand = take()
      try expect(.comma)
      let type = take()
      try expect(.closeParenthesis)
      return .value(try PredicateCast.value(operand, isNegative: isNegative, type))
    default:
      throw PredicateAdvice.noFunction(word, at: offset)
    }
  }

  // MARK: Bounds

  private mutating func enter() throws(PredicateFailure) {
    nesting += 1
    guard nesting <= Self.nestingLimit else { throw .tooLarge(at: current.offset) }
  }

  private mutating func leaf(
    _ expression: QueryExpression,
    at offset: Int
  ) throws(PredicateFailure) -> Part {
    try node(expression, over: [], at: offset)
  }

  private mutating func node(
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
  private mutating func take() -> PredicateToken {
    let token = current
    if token.kind != .end { index += 1 }
    return token
  }

  private mutating func skip(_ sign: PredicateToken.Sign) -> Bool {
    guard current.kind == .sign(sign) else { return false }
    index += 1
    return true
  }

  private mutating func expect(
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
