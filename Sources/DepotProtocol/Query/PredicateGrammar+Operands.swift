/// The reading of what operators stand between: constants, names, calls, and parentheses.
extension PredicateGrammar {
  mutating func prefix(_ minimum: PredicateLevel) throws(PredicateFailure) -> Part {
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
}
