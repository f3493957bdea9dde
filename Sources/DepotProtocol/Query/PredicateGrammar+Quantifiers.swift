/// Reads predicates on the elements of collections.
///
/// `ANY tags.name == "x"` is the common form; its element has a generated name.
/// `ANY(tags, $tag, $tag.name == "x" AND $tag.weight > 2)` is Depot's own form, for conditions
/// about several properties of one element.
extension PredicateGrammar {
  mutating func quantified(
    _ quantifier: QueryExpression.Quantifier,
    _ minimum: PredicateLevel
  ) throws(PredicateFailure) -> Part {
    let token = current
    let word = token.keyword ?? ""
    index += 1
    try enter()
    defer { leave() }
    let place = current.offset
    let collection: Part
    if skip(.openParenthesis) {
      var first = try expression(.or)
      if skip(.comma) {
        first = try self.collection(first, at: place)
        let (name, predicate) = try elementwise(word)
        return try node(over: [first, predicate], at: token.offset) {
          .quantified(quantifier, $0[0], name, $0[1])
        }
      }
      try expect(.closeParenthesis, or: .comma)
      first.isOpen = false
      collection = try self.collection(try postfix(first), at: place)
    } else {
      collection = try self.collection(try primary(), at: place)
    }
    guard minimum <= .comparison else {
      throw token.failure("\(word) can't stand here without parentheses.")
        .hint("Put parentheses around the comparison.")
    }
    return try compared(quantifier, collection, token)
  }

  /// Reads a comparison; its left side is each element of `collection`.
  private mutating func compared(
    _ quantifier: QueryExpression.Quantifier,
    _ collection: Part,
    _ token: PredicateToken
  ) throws(PredicateFailure) -> Part {
    guard let found = PredicateOperator(current), found.level == .comparison else {
      throw current.failure("A comparison must follow \(token.keyword ?? "") and its collection.")
        .hint("Write ANY tags.name == \"x\", or ANY(tags, $tag, $tag.name == \"x\").")
    }
    let name = KeyPathSyntax.generatedVariable(in: scope)
    scope.append(name)
    defer { scope.removeLast() }
    let element = try leaf(.variable(name), at: token.offset)
    let predicate = try infix(found, element)
    try refuseChain()
    return try node(over: [collection, predicate], at: token.offset) {
      .quantified(quantifier, $0[0], name, $0[1])
    }
  }

  /// Reads `SUBQUERY(collection, $name, predicate)` from its first operand on.
  mutating func subquery(_ offset: Int) throws(PredicateFailure) -> Part {
    let place = current.offset
    let collection = try self.collection(try expression(.or), at: place)
    try expect(.comma)
    let (name, predicate) = try elementwise("SUBQUERY")
    return try node(over: [collection, predicate], at: offset) { .filtered($0[0], name, $0[1]) }
  }

  /// Reads `$name, predicate)`.
  private mutating func elementwise(
    _ word: String
  ) throws(PredicateFailure) -> (name: String, predicate: Part) {
    let token = current
    guard case .variable(let text) = token.kind else {
      throw token.failure("\(word) takes a name for the element, found \(token.description).")
        .hint("Write \(word)(items, $item, $item.price > 5).")
    }
    let name = String(text.dropFirst())
    guard KeyPathSyntax.isVariable(name) else {
      throw token.failure("An element can't be named \(text).")
        .hint("$id, $version, $entity, and SELF are taken.")
    }
    index += 1
    try expect(.comma)
    scope.append(name)
    defer { scope.removeLast() }
    let predicate = try expression(.or)
    try expect(.closeParenthesis)
    return (name, predicate)
  }
}
