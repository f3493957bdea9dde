/// Reads calls: `uppercase(x)`, `uppercase:(x)`, `add:to:(a, b)`, `CAST(x, "date")`.
extension PredicateGrammar {
  /// Reads a call whose first word was read already.
  mutating func call(_ word: String, _ offset: Int) throws(PredicateFailure) -> Part {
    let name = try selector(word, offset)
    guard let function = PredicateFunction(name) else {
      throw PredicateAdvice.noFunction(name, at: offset)
    }
    try enter()
    defer { leave() }
    index += 1
    switch function {
    case .values(let arity, let make):
      let parts = try arguments(of: name, arity, offset)
      return try node(over: parts, at: offset, make)
    case .aggregate(let aggregate):
      let place = current.offset
      let hint = "It takes a collection, such as a path, or a list in braces: \(name)({1, 2})."
      let part = try arguments(of: name, 1, offset, hint: hint)[0]
      return try aggregated(aggregate, try collection(part, at: place), offset)
    case .identity:
      var part = try arguments(of: name, 1, offset)[0]
      part.isOpen = false
      return part
    case .subquery: return try subquery(offset)
    case .cast: return try cast(offset)
    case .element:
      let base = try expression(.or)
      try expect(.comma)
      let position = try position()
      try expect(.closeParenthesis)
      return try element(base, position, offset)
    case .coalesce:
      let parts = try arguments()
      guard !parts.isEmpty else {
        throw PredicateFailure("\(name) takes at least one value.", at: offset)
      }
      return try node(over: parts, at: offset) { .coalesce($0) }
    }
  }

  /// Reads the given number of arguments of a function.
  private mutating func arguments(
    of name: String,
    _ count: Int,
    _ offset: Int,
    hint: String? = nil
  ) throws(PredicateFailure) -> [Part] {
    let parts = try arguments()
    guard parts.count != count else { return parts }
    let values = count.pluralized("value")
    throw PredicateFailure("\(name)() takes \(values), not \(parts.count).", at: offset).hint(hint)
  }

  /// Reads the rest of a name such as `add:to:(` after its first word.
  ///
  /// A colon before the parenthesis means nothing in a name of one word.
  private mutating func selector(
    _ word: String,
    _ offset: Int
  ) throws(PredicateFailure) -> String {
    var name = word
    var words = 1
    while skip(.colon) {
      name += ":"
      if let more = current.name {
        name += more
        words += 1
        index += 1
        guard current.kind == .sign(.colon) else { break }
      }
    }
    guard current.kind == .sign(.openParenthesis) else {
      throw PredicateFailure("\"\(name)\" isn't a function that is called.", at: offset)
        .hint("A function is called as in uppercase(name) or add:to:(a, b).")
    }
    if words == 1, name.hasSuffix(":") { name.removeLast() }
    return name
  }

  private mutating func arguments() throws(PredicateFailure) -> [Part] {
    var parts: [Part] = []
    if skip(.closeParenthesis) { return parts }
    while true {
      parts.append(try expression(.or))
      if skip(.closeParenthesis) { return parts }
      try expect(.comma, or: .closeParenthesis)
    }
  }

  /// Reads a constant of a named type, or the conversion of another value to it.
  ///
  /// If `x` isn't a literal, `CAST(x, "Entity")` is `x AS Entity`.
  private mutating func cast(_ offset: Int) throws(PredicateFailure) -> Part {
    if let literal = try literalToCast() {
      let type = take()
      try expect(.closeParenthesis)
      let value = try PredicateCast.value(literal.token, isNegative: literal.isNegative, type)
      return try leaf(.value(value), at: offset)
    }
    let part = try expression(.or)
    try expect(.comma)
    let token = take()
    guard case .string(let name) = token.kind else { throw PredicateCast.noType(token) }
    try expect(.closeParenthesis)
    if let width = NumberWidth(rawValue: name) {
      return try node(.narrow(part.expression, width), over: [part], at: offset)
    }
    if let type = PredicateCast.type(name), type.isScalar {
      return try node(.convert(part.expression, type), over: [part], at: offset)
    }
    guard KeyPathSyntax.isName(name), name.first?.isLowercase == false, !name.hasPrefix("NS") else {
      throw PredicateCast.noType(token)
    }
    return try node(.cast(part.expression, entity: name), over: [part], at: offset)
  }

  /// Reads a literal and the comma after it, if there is one.
  private mutating func literalToCast() throws(PredicateFailure) -> (
    token: PredicateToken, isNegative: Bool
  )? {
    let isNegative = current.kind == .sign(.minus)
    let distance = isNegative ? 1 : 0
    let token = next(distance)
    guard PredicateCast.isLiteral(token, isNegative: isNegative),
      next(distance + 1).kind == .sign(.comma)
    else { return nil }
    index += distance + 2
    return (token, isNegative)
  }
}
