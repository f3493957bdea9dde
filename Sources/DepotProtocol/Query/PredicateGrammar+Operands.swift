/// Reads operands: constants, names, calls, and parentheses.
extension PredicateGrammar {
  mutating func prefix(_ minimum: PredicateLevel) throws(PredicateFailure) -> Part {
    let token = current
    if token.kind == .sign(.not) || token.keyword == "NOT", minimum <= .not {
      index += 1
      try enter()
      defer { leave() }
      let part = try expression(.not)
      return try node(.not(part.expression), over: [part], at: token.offset)
    }
    if let quantifier = PredicateAdvice.quantifiers[token.keyword ?? ""] {
      return try quantified(quantifier, minimum)
    }
    if token.kind == .sign(.openBrace), minimum <= .comparison, let search = try searchInList() {
      return search
    }
    guard skip(.minus) else { return try primary() }
    try enter()
    defer { leave() }
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

  /// Reads an operand with the path, indexes, and casts that follow it.
  mutating func primary() throws(PredicateFailure) -> Part {
    try postfix(try operand())
  }

  private mutating func operand() throws(PredicateFailure) -> Part {
    let token = current
    switch token.kind {
    case .word(let word): return try named(word, token)
    case .sign(.openParenthesis): return try parenthesized()
    case .sign(.openBrace): return try constants(token)
    case .variable(let name): return try variable(name, token)
    case .end:
      throw token.failure("The predicate ends where a value should be.")
    case .sign: throw PredicateAdvice.noValue(token)
    case .name(let name):
      index += 1
      return try attribute(name, token)
    case .string(let text):
      index += 1
      return try leaf(.value(.string(text)), at: token.offset)
    case .double(let value):
      index += 1
      return try leaf(.value(.double(value)), at: token.offset)
    case .integer(let magnitude):
      index += 1
      guard let value = Int64(exactly: magnitude) else {
        throw .numberTooLarge(at: token.offset)
      }
      return try leaf(.value(.int64(value)), at: token.offset)
    }
  }

  private mutating func attribute(
    _ name: String,
    _ token: PredicateToken
  ) throws(PredicateFailure) -> Part {
    var part = try leaf(.attribute(name), at: token.offset)
    part.isOpen = true
    return part
  }

  private mutating func variable(
    _ name: String,
    _ token: PredicateToken
  ) throws(PredicateFailure) -> Part {
    if KeyPathSyntax.system.contains(name) {
      index += 1
      return try attribute(name, token)
    }
    let plain = String(name.dropFirst())
    guard !scope.contains(plain) else {
      index += 1
      return try leaf(.variable(plain), at: token.offset)
    }
    guard KeyPathSyntax.isFree(plain) else {
      throw token.failure("The row is SELF, without $.")
    }
    guard let value = bindings.use(plain) else {
      throw token.failure("There is no value for the variable \(name).")
        .hint(bindings.advice(for: plain))
    }
    index += 1
    return try leaf(.value(value), at: token.offset)
  }

  private mutating func parenthesized() throws(PredicateFailure) -> Part {
    try enter()
    defer { leave() }
    index += 1
    var part = try expression(.or)
    guard current.kind != .sign(.comma) else {
      throw current.failure("Expected \")\", found \",\".")
        .hint("A list is written in braces: {1, 2}.")
    }
    try expect(.closeParenthesis)
    part.isOpen = false
    return part
  }

  private mutating func named(
    _ word: String,
    _ token: PredicateToken
  ) throws(PredicateFailure) -> Part {
    if let constant = token.constant {
      index += 1
      return try leaf(constant, at: token.offset)
    }
    guard !PredicateAdvice.reserved.contains(NameSyntax.keyword(word)) else {
      throw PredicateAdvice.noValue(token)
    }
    index += 1
    switch current.kind {
    case .sign(.openParenthesis), .sign(.colon): return try call(word, token.offset)
    default: return try attribute(word, token)
    }
  }
}

/// Lists in braces.
extension PredicateGrammar {
  /// Reads expressions in braces; `discountsConstants` leaves constants out of the count of nodes.
  mutating func list(
    _ hint: String,
    discountsConstants: Bool = false
  ) throws(PredicateFailure) -> [Part] {
    guard skip(.openBrace) else {
      throw current.failure("Expected \"{\", found \(current.description).")
        .hint(hint)
    }
    try enter()
    defer { leave() }
    var parts: [Part] = []
    if skip(.closeBrace) { return parts }
    while true {
      let part = try expression(.or)
      if discountsConstants, part.expression.constant != nil { discount() }
      parts.append(part)
      if skip(.closeBrace) { return parts }
      try expect(.comma, or: .closeBrace)
    }
  }

  /// Reads a list: a value if it holds only constants, otherwise a collection of expressions.
  private mutating func constants(_ token: PredicateToken) throws(PredicateFailure) -> Part {
    let parts = try list("", discountsConstants: true)
    guard !parts.contains(where: \.expression.isList) else {
      throw token.failure("A list can't hold lists.")
    }
    let expression = QueryExpression.collection(of: parts.map(\.expression))
    guard case .list = expression else { return try leaf(expression, at: token.offset) }
    // Among other expressions a constant counts as a node.
    for part in parts where part.expression.constant != nil {
      _ = try leaf(part.expression, at: token.offset)
    }
    return try node(expression, over: parts, at: token.offset)
  }
}
