/// Reads the suffixes of an operand: `.name`, `.@sum.price`, `[0]`, `AS Entity`.
extension PredicateGrammar {
  mutating func postfix(_ start: Part) throws(PredicateFailure) -> Part {
    var part = start
    while true {
      let offset = current.offset
      if current.kind == .sign(.dot) {
        if next().kind == .sign(.at) {
          part = try collectionOperator(part)
        } else {
          part = try member(part, try steps(), offset)
        }
      } else if current.kind == .sign(.openBracket) {
        part = try subscripted(part)
      } else if current.keyword == "AS", next().name != nil {
        index += 1
        let entity = try entity("AS")
        part = try node(.cast(part.expression, entity: entity), over: [part], at: offset)
      } else {
        return part
      }
    }
  }

  /// Reads `.a.b` up to a collection operator.
  private mutating func steps() throws(PredicateFailure) -> String {
    var steps: [String] = []
    while current.kind == .sign(.dot), next().kind != .sign(.at) {
      let token = next()
      if let last = steps.last, KeyPathSyntax.ends.contains(last) {
        throw current.failure("Nothing can follow \(last).")
      }
      switch token.kind {
      case .word(let name), .name(let name): steps.append(name)
      case .variable(let name) where KeyPathSyntax.ends.contains(name): steps.append(name)
      default:
        throw token.failure(
          "Expected the name of an attribute or relationship, found \(token.description)."
        )
      }
      index += 2
    }
    return steps.joined(separator: ".")
  }

  /// Returns the expression for `path` from `part`; it extends the path of `part` if that is open.
  private mutating func member(
    _ part: Part,
    _ path: String,
    _ offset: Int
  ) throws(PredicateFailure) -> Part {
    var result: Part
    func joined(_ start: String) throws(PredicateFailure) -> String {
      let whole = start + "." + path
      if KeyPathSyntax.isTooLong(whole) { throw .tooLarge(KeyPathSyntax.tooLong, at: offset) }
      return whole
    }
    switch part.expression {
    case .attribute(let start) where part.isOpen:
      guard !KeyPathSyntax.ends.contains(String(start.split(separator: ".").last ?? "")) else {
        throw PredicateFailure("Nothing can follow \(start).", at: offset)
      }
      result = part
      result.expression = .attribute(try joined(start))
    case .member(let base, let start) where part.isOpen:
      result = part
      result.expression = .member(base, try joined(start))
    default:
      if KeyPathSyntax.isTooLong(path) { throw .tooLarge(KeyPathSyntax.tooLong, at: offset) }
      result = try node(.member(part.expression, path), over: [part], at: offset)
    }
    result.isOpen = true
    return result
  }

  /// Reads `.@sum`, with the path of the summed values before or after it.
  private mutating func collectionOperator(_ start: Part) throws(PredicateFailure) -> Part {
    let offset = next().offset
    index += 2
    guard let name = current.name else {
      throw PredicateFailure("The name of a collection operator must follow \"@\".", at: offset)
    }
    index += 1
    guard let found = PredicateCollectionOperator(name) else {
      throw PredicateCollectionOperator.unknown(name, at: offset)
    }
    var part = start
    let place = current.offset
    let path = try steps()
    if !path.isEmpty { part = try member(part, path, place) }
    switch found {
    case .aggregate(let aggregate):
      if aggregate == .count, !path.isEmpty {
        throw PredicateFailure("Nothing can follow @count.", at: place)
      }
      // KVC would compute the right path for each element and then sum; expressions have no such
      // form.
      if !path.isEmpty, current.kind == .sign(.dot) {
        throw current.failure(
          "A collection operator can't be applied to each element of a collection."
        ).hint("Filter with SUBQUERY, or keep the inner value in a derived attribute.")
      }
      return try aggregated(aggregate, part, offset)
    case .union:
      try require(path, after: name, at: offset)
      return part
    case .distinctUnion:
      try require(path, after: name, at: offset)
      return try distinct(part, name, offset)
    }
  }

  private func require(
    _ path: String,
    after name: String,
    at offset: Int
  ) throws(PredicateFailure) {
    guard path.isEmpty else { return }
    throw PredicateFailure("@\(name) needs the path of its values.", at: offset)
      .hint("Write items.@\(name).name.")
  }

  /// Reads the operator after `@distinctUnionOfObjects.path`, which is required.
  private mutating func distinct(
    _ part: Part,
    _ name: String,
    _ offset: Int
  ) throws(PredicateFailure) -> Part {
    if current.kind == .sign(.dot), next().kind == .sign(.at),
      let following = next(2).name.flatMap(PredicateCollectionOperator.init)
    {
      let aggregate: QueryExpression.Aggregate? =
        switch following {
        case .aggregate(.count), .aggregate(.countDistinct): .countDistinct
        case .aggregate(.min): .min
        case .aggregate(.max): .max
        default: nil
        }
      if let aggregate {
        index += 3
        return try aggregated(aggregate, part, offset)
      }
    }
    throw PredicateFailure("@\(name) can only be counted: .@\(name).path.@count.", at: offset)
      .hint("For IN, CONTAINS, ANY, and the like duplicates don't matter: write the path itself.")
  }

  mutating func aggregated(
    _ aggregate: QueryExpression.Aggregate,
    _ part: Part,
    _ offset: Int
  ) throws(PredicateFailure) -> Part {
    let part = try collection(part, at: offset)
    return try node(.aggregate(aggregate, part.expression), over: [part], at: offset)
  }
}

/// Indexes: `[0]`, `[FIRST]`, `[LAST]`, `[SIZE]`, `[0:2]`, `["key"]`.
extension PredicateGrammar {
  private mutating func subscripted(_ base: Part) throws(PredicateFailure) -> Part {
    let offset = current.offset
    index += 1
    let token = current
    let result: Part
    switch token.keyword {
    case "FIRST":
      index += 1
      result = try element(base, 0, offset)
    case "LAST":
      index += 1
      result = try element(base, -1, offset)
    case "SIZE":
      index += 1
      result = try aggregated(.count, base, offset)
    default:
      if case .string(let key) = token.kind {
        index += 1
        let name = try leaf(.value(.string(key)), at: token.offset)
        result = try node(over: [base, name], at: offset) { .function(.json, $0) }
      } else {
        result = try positions(base, offset)
      }
    }
    try expect(.closeBracket)
    return result
  }

  private mutating func positions(_ base: Part, _ offset: Int) throws(PredicateFailure) -> Part {
    let lower = try position()
    guard skip(.colon) else { return try element(base, lower, offset) }
    let place = current.offset
    let upper = try position()
    guard 0 <= lower, lower <= upper else {
      throw PredicateFailure("A slice goes from a position to one that isn't before it.", at: place)
        .hint("[0:2] is the first two elements.")
    }
    let base = try collection(base, at: offset)
    return try node(.slice(base.expression, lower..<upper), over: [base], at: offset)
  }

  mutating func position() throws(PredicateFailure) -> Int {
    let token = current
    let isNegative = skip(.minus)
    switch current.kind {
    case .integer(let magnitude) where magnitude <= Int.max:
      index += 1
      return isNegative ? -Int(magnitude) : Int(magnitude)
    case .variable(let name) where !isNegative && !scope.contains(String(name.dropFirst())):
      if case .int64(let value) = bindings.use(String(name.dropFirst())) {
        index += 1
        return Int(value)
      }
    default: break
    }
    throw token.failure("Expected a position, found \(token.description).")
      .hint("An index is [0], [FIRST], [LAST], [SIZE], [0:2], or [\"key\"].")
  }

  mutating func element(
    _ base: Part,
    _ position: Int,
    _ offset: Int
  ) throws(PredicateFailure) -> Part {
    let base = try collection(base, at: offset)
    return try node(.element(base.expression, position), over: [base], at: offset)
  }
}
