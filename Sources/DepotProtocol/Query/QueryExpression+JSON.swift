extension QueryExpression {
  /// Reads an expression from its JSON form, or a predicate from a string in the format language.
  ///
  /// - Throws: ``DepotError`` `request.predicate` or `limit.predicate` that names the place.
  package init(_ node: JSONNode) throws(DepotError) {
    if node.kind == .string {
      do {
        self = try PredicateParser.parse(try node.string())
      } catch {
        throw error.at(node.pointer)
      }
    } else {
      var decoder = ExpressionDecoder()
      self = try decoder.expression(node)
    }
  }
}

/// The reading of one expression, which bounds its size.
private struct ExpressionDecoder {
  private var nodes = 0
  private var depth = 0

  mutating func expression(_ node: JSONNode) throws(DepotError) -> QueryExpression {
    nodes += 1
    depth += 1
    defer { depth -= 1 }
    guard nodes <= Limits.predicateNodes, depth <= Limits.predicateDepth else {
      throw DepotError(
        .predicateTooLarge,
        "The predicate has over \(Limits.predicateNodes) parts or \(Limits.predicateDepth) levels."
      )
    }
    switch node.kind {
    case .object: return try operation(node)
    case .array: throw node.wrongType("an expression")
    default: return .value(try scalar(node))
    }
  }

  private func scalar(_ node: JSONNode) throws(DepotError) -> Value {
    switch try JSONValue(node) {
    case .bool(let value): .bool(value)
    case .int64(let value): .int64(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    default: .null
    }
  }

  private mutating func operation(_ node: JSONNode) throws(DepotError) -> QueryExpression {
    var members = try node.members()
    // The members of an object have no order, so the operator may come second.
    let place = members.firstIndex { !$0.name.isString("options") && !$0.name.isString("type") }
    guard let place else { throw invalid(node, "An expression has no operator.") }
    let first = members.remove(at: place)
    let name = try first.name.string()
    let argument = first.value
    let allowed = Self.companion[name]
    for member in members where try member.name.string() != allowed {
      throw invalid(
        member.name,
        "\"\(name)\" can't have the member \"\(try member.name.string())\"."
      )
    }
    let companion = members.first?.value
    switch name {
    case "attribute": return .attribute(try argument.string())
    case "now": return .now
    case "value": return .value(try value(argument, type: companion))
    case "and": return .and(try list(argument))
    case "or": return .or(try list(argument))
    case "not": return .not(try expression(argument))
    case "negate": return .negate(try expression(argument))
    case "between":
      let parts = try list(argument, count: 3)
      return .between(parts[0], parts[1], parts[2])
    case "in":
      let parts = try argument.elements()
      guard parts.count == 2 else { throw invalid(argument, "\"in\" takes a value and a list.") }
      return .in(try expression(parts[0]), try list(parts[1]), options: try options(companion))
    default:
      return try binary(name, first.name, argument, companion)
    }
  }

  private mutating func binary(
    _ name: String,
    _ place: JSONNode,
    _ argument: JSONNode,
    _ companion: JSONNode?
  ) throws(DepotError) -> QueryExpression {
    if let comparison = QueryExpression.Comparison(rawValue: name) {
      let parts = try list(argument, count: 2)
      return .comparison(comparison, parts[0], parts[1], options: try options(companion))
    }
    if let test = QueryExpression.TextTest(rawValue: name) {
      let parts = try list(argument, count: 2)
      return .text(test, parts[0], parts[1], options: try options(companion))
    }
    if let arithmetic = QueryExpression.Arithmetic(rawValue: name) {
      let parts = try list(argument, count: 2)
      return .arithmetic(arithmetic, parts[0], parts[1])
    }
    let nearest = Spelling.nearest(to: name, in: Self.names)
    throw invalid(place, "There is no operator \"\(name)\".")
      .hint(nearest.map { "Did you mean \"\($0)\"?" })
  }

  private mutating func list(
    _ node: JSONNode,
    count: Int? = nil
  ) throws(DepotError) -> [QueryExpression] {
    let elements = try node.elements()
    if let count, elements.count != count {
      throw invalid(node, "This operator takes \(count) operands, not \(elements.count).")
    }
    var result: [QueryExpression] = []
    for element in elements { result.append(try expression(element)) }
    return result
  }

  private func value(_ node: JSONNode, type: JSONNode?) throws(DepotError) -> Value {
    guard let type else { return try scalar(node) }
    guard let type = AttributeType(rawValue: try type.string()) else {
      throw invalid(type, "There is no such type.")
    }
    return try node.value(as: type)
  }

  private func options(_ node: JSONNode?) throws(DepotError) -> QueryExpression.TextOptions {
    guard let node else { return [] }
    guard let options = QueryExpression.TextOptions(letters: try node.string()) else {
      throw invalid(node, "The options are \"c\", \"d\", and \"cd\".")
    }
    return options
  }

  private func invalid(_ node: JSONNode, _ message: String) -> DepotError {
    DepotError(.predicate, message).at(node.pointer)
  }

  /// The one member that may stand beside each operator.
  private static let companion: [String: String] = {
    let compared = QueryExpression.Comparison.allCases.map(\.rawValue)
    let tested = QueryExpression.TextTest.allCases.map(\.rawValue)
    let pairs = (compared + tested + ["in"]).map { ($0, "options") } + [("value", "type")]
    return Dictionary(uniqueKeysWithValues: pairs)
  }()

  private static let names: [String] =
    QueryExpression.Comparison.allCases.map(\.rawValue)
    + QueryExpression.TextTest.allCases.map(\.rawValue)
    + QueryExpression.Arithmetic.allCases.map(\.rawValue)
    + ["attribute", "value", "now", "and", "or", "not", "negate", "between", "in"]
}

extension QueryExpression.TextOptions {
  /// Reads `c`, `d`, and `cd` in any order and case; `nil` for other letters.
  package init?(letters: String) {
    self = []
    for letter in letters.lowercased() {
      switch letter {
      case "c": insert(.caseInsensitive)
      case "d": insert(.diacriticInsensitive)
      default: return nil
      }
    }
  }

  /// The letters that stand for the options.
  package var letters: String {
    (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
  }
}

extension JSONWriter {
  /// Writes an expression in its JSON form.
  package mutating func write(_ expression: QueryExpression) {
    switch expression {
    case .value(let value): constant(value)
    case .attribute(let name):
      raw("{\"attribute\":")
      string(name)
      raw("}")
    case .now: raw("{\"now\":true}")
    case .comparison(let comparison, let left, let right, let options):
      operation(comparison.rawValue, [left, right], options)
    case .text(let test, let left, let right, let options):
      operation(test.rawValue, [left, right], options)
    case .between(let value, let low, let high): operation("between", [value, low, high])
    case .in(let value, let list, let options):
      raw("{\"in\":[")
      write(value)
      raw(",")
      self.list(list)
      raw("]")
      write(options)
      raw("}")
    case .and(let parts): operation("and", parts)
    case .or(let parts): operation("or", parts)
    case .not(let part):
      raw("{\"not\":")
      write(part)
      raw("}")
    case .arithmetic(let arithmetic, let left, let right):
      operation(arithmetic.rawValue, [left, right])
    case .negate(let part):
      raw("{\"negate\":")
      write(part)
      raw("}")
    default: raw("null")
    }
  }

  private mutating func constant(_ value: Value) {
    switch value {
    case .null, .bool, .int64, .string: write(value)
    case .double(let number) where number.isFinite: write(value)
    default:
      raw("{\"value\":")
      write(value)
      raw(",\"type\":")
      string(value.type?.rawValue ?? "")
      raw("}")
    }
  }

  private mutating func operation(
    _ name: String,
    _ parts: [QueryExpression],
    _ options: QueryExpression.TextOptions = []
  ) {
    raw("{")
    string(name)
    raw(":")
    list(parts)
    write(options)
    raw("}")
  }

  private mutating func list(_ parts: [QueryExpression]) {
    raw("[")
    for (index, part) in parts.enumerated() {
      if index > 0 { raw(",") }
      write(part)
    }
    raw("]")
  }

  private mutating func write(_ options: QueryExpression.TextOptions) {
    guard !options.isEmpty else { return }
    raw(",\"options\":")
    string(options.letters)
  }
}
