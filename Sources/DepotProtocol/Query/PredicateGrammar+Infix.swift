/// Reads an infix operator and its right operand.
extension PredicateGrammar {
  mutating func infix(_ found: PredicateOperator, _ left: Part) throws(PredicateFailure) -> Part {
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
      return try node(over: [left, right], at: offset) {
        .comparison(comparison, $0[0], $0[1], options: options)
      }
    case .text(let test):
      if test == .matches, let words = try searchWords() {
        return try search(left.expression, words, offset)
      }
      let options = try self.options()
      let right = try expression(.sum)
      return try node(over: [left, right], at: offset) {
        .text(test, $0[0], $0[1], options: options)
      }
    case .between: return try between(left, offset)
    case .in: return try membership(left, offset)
    case .is:
      let entity = try entity("IS")
      return try node(.is(left.expression, entity: entity), over: [left], at: offset)
    case .arithmetic(let arithmetic):
      let right = try expression(found.level.tighter)
      return try node(over: [left, right], at: offset) { .arithmetic(arithmetic, $0[0], $0[1]) }
    }
  }

  private mutating func between(_ left: Part, _ offset: Int) throws(PredicateFailure) -> Part {
    let hint = "BETWEEN takes two values in braces: BETWEEN {low, high}."
    let parts: [Part]
    if let values = try boundList("BETWEEN") {
      parts = try values.map { (value) throws(PredicateFailure) in
        try leaf(.value(value), at: offset)
      }
    } else {
      parts = try list(hint)
    }
    guard parts.count == 2 else {
      throw PredicateFailure("BETWEEN can't take \(parts.count) values.", at: offset).hint(hint)
    }
    return try node(
      .between(left.expression, parts[0].expression, parts[1].expression),
      over: [left] + parts,
      at: offset
    )
  }

  /// Reads the operand of `IN`: a list in braces, a list bound to a variable, or a collection.
  private mutating func membership(_ left: Part, _ offset: Int) throws(PredicateFailure) -> Part {
    let options = try self.options()
    if let values = try boundList("IN") {
      let list = values.map(QueryExpression.value)
      return try node(.in(left.expression, list, options: options), over: [left], at: offset)
    }
    if current.kind == .sign(.openBrace) {
      let parts = try list("", discountsConstants: true)
      return try node(
        .in(left.expression, parts.map(\.expression), options: options),
        over: [left] + parts.filter { $0.expression.constant == nil },
        at: offset
      )
    }
    let place = current.offset
    let hint = "IN takes a list in braces, IN {1, 2}, or a collection."
    guard current.kind != .end else {
      throw PredicateFailure("Expected a list, found the end.", at: place).hint(hint)
    }
    let right = try expression(.sum)
    guard !right.expression.isScalarConstant else {
      throw PredicateFailure("Expected a list, found a value.", at: place)
        .hint(hint + " To look for text within text, write CONTAINS.")
    }
    guard !options.isEmpty else {
      return try node(over: [left, right], at: offset) { .contains($0[1], $0[0]) }
    }
    let name = KeyPathSyntax.generatedVariable(in: scope)
    let element = try leaf(.variable(name), at: offset)
    let equal = try node(over: [element, left], at: offset) {
      .comparison(.equal, $0[0], $0[1], options: options)
    }
    return try node(over: [right, equal], at: offset) { .quantified(.any, $0[0], name, $0[1]) }
  }

  /// Reads a variable that is bound to a list, if there is one.
  private mutating func boundList(_ word: String) throws(PredicateFailure) -> [Value]? {
    guard case .variable(let text) = current.kind else { return nil }
    let name = String(text.dropFirst())
    guard !scope.contains(name), KeyPathSyntax.isFree(name), let value = bindings.use(name) else {
      return nil
    }
    guard case .list(let values) = value else {
      throw current.failure("\(word) takes a list, and $\(name) isn't bound to one.")
    }
    index += 1
    return values
  }

  /// Reads the name of an entity after `word`.
  mutating func entity(_ word: String) throws(PredicateFailure) -> String {
    let token = current
    let hint: String? =
      switch token.keyword {
      case "NULL", "NIL": "Did you mean == NULL?"
      case "NOT": "Write NOT before the whole comparison; with null, write != NULL."
      case "TRUE", "YES", "FALSE", "NO": "Did you mean == \(token.keyword ?? "")?"
      default: nil
      }
    guard let name = token.name,
      token.keyword.map({ !PredicateAdvice.reserved.contains($0) }) ?? true
    else {
      throw token.failure("\(word) takes the name of an entity, not \(token.description).")
        .hint(hint)
    }
    index += 1
    return name
  }

  /// Reads `[c]`, `[d]`, `[cd]`, and the like if it is there.
  private mutating func options() throws(PredicateFailure) -> QueryExpression.TextOptions {
    guard skip(.openBracket) else { return [] }
    let hint = QueryExpression.TextOptions.hint
    guard case .word(let letters) = current.kind,
      let options = QueryExpression.TextOptions(letters: letters)
    else {
      throw current.failure("There is no such option.").hint(hint)
    }
    index += 1
    guard skip(.closeBracket) else {
      throw current.failure("Expected \"]\".").hint(hint)
    }
    return options
  }
}

/// Full-text search: `SELF MATCHES TEXT "words"`, `{title, body} MATCHES TEXT "words"`.
extension PredicateGrammar {
  /// Reads `TEXT "words"` if it is there.
  private mutating func searchWords() throws(PredicateFailure) -> String? {
    guard current.keyword == "TEXT" else { return nil }
    let token = next()
    switch token.kind {
    case .string(let words):
      index += 2
      return words
    case .variable(let name):
      guard case .string(let words) = bindings.use(String(name.dropFirst())) else {
        throw token.failure("MATCHES TEXT takes a text, and \(name) isn't bound to one.")
      }
      index += 2
      return words
    default: return nil
    }
  }

  private mutating func search(
    _ left: QueryExpression,
    _ words: String,
    _ offset: Int
  ) throws(PredicateFailure) -> Part {
    switch left {
    case .variable("SELF"):
      discount()
      return try leaf(.search([], words), at: offset)
    case .attribute(let path):
      discount()
      return try leaf(.search([path], words), at: offset)
    default:
      throw PredicateFailure(
        "Only the row and its attributes can be searched for words.",
        at: offset
      ).hint("Write SELF MATCHES TEXT \"words\", or {title, body} MATCHES TEXT \"words\".")
    }
  }

  /// Reads a search in the attributes in braces, if there is one.
  mutating func searchInList() throws(PredicateFailure) -> Part? {
    let start = index
    guard let paths = namesInBraces(), current.keyword == "MATCHES", next().keyword == "TEXT" else {
      index = start
      return nil
    }
    let offset = current.offset
    index += 1
    guard let words = try searchWords() else {
      index = start
      return nil
    }
    return try leaf(.search(paths, words), at: offset)
  }

  /// Reads paths in braces; moves on even if there are none.
  private mutating func namesInBraces() -> [String]? {
    guard skip(.openBrace) else { return nil }
    var paths: [String] = []
    while true {
      var steps: [String] = []
      repeat {
        switch current.kind {
        case .word(let step), .name(let step): steps.append(step)
        case .variable(let step) where KeyPathSyntax.ends.contains(step): steps.append(step)
        default: return nil
        }
        index += 1
      } while skip(.dot)
      paths.append(steps.joined(separator: "."))
      if skip(.closeBrace) { return paths }
      guard skip(.comma) else { return nil }
    }
  }
}
