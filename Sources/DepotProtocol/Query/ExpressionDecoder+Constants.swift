/// Reads constants and lists of constants, which don't count as nodes of a predicate.
///
/// JSON's own constants are null, a truth value, a string, an integer (an int64, or a decimal
/// beyond 64 bits), and another number (a double, or a decimal if the double would be an integer).
/// `{"value": …, "type": "date"}` is a constant of a named type. A list is
/// `{"value": […], "list": true}`, with `"type"` if all elements have a type that JSON lacks.
extension ExpressionDecoder {
  func scalar(_ node: JSONNode) throws(DepotError) -> Value {
    switch try JSONValue(node) {
    case .bool(let value): .bool(value)
    case .int64(let value): .int64(value)
    case .double(let value): Self.exact(node, value) ?? .double(value)
    case .string(let value): .string(value)
    case .null: .null
    case .array, .object: throw node.wrongType("a constant")
    }
  }

  /// Returns a number as a decimal if a double would round it to another integer.
  ///
  /// It is `nil` if it needn't, or if the number has too many digits.
  private static func exact(_ node: JSONNode, _ double: Double) -> Value? {
    node.withField { field in
      guard !field.isComplex || JSONNumber.isRounded(field.bytes, to: double) else { return nil }
      return DecimalText.parse(field.text).map(Value.decimal)
    }
  }

  /// Reads the value of `{"value": …}`.
  mutating func constant(_ members: ExpressionMembers) throws(DepotError) -> Value {
    let type = try members.optional("type").map { (node) throws(DepotError) in try self.type(node) }
    guard try members.optional("list")?.bool() ?? false else {
      return try constant(members.argument, type)
    }
    return try constants(members.argument, type)
  }

  /// Reads the constants of an array, with the given type if there is one.
  mutating func constants(
    _ node: JSONNode,
    _ type: AttributeType? = nil
  ) throws(DepotError) -> Value {
    let elements = try node.elements()
    try count(elements.count, at: node)
    var values: [Value] = []
    values.reserveCapacity(elements.count)
    for element in elements {
      let value = try type == nil ? constant(element) : constant(element, type)
      if case .list = value { throw invalid(element, "A list can't hold lists.") }
      values.append(value)
    }
    return .list(values)
  }

  /// Reads a constant in either form.
  mutating func constant(_ node: JSONNode) throws(DepotError) -> Value {
    guard node.kind == .object else { return try scalar(node) }
    let members = try ExpressionMembers(node)
    guard members.name == "value" else { throw node.wrongType("a constant") }
    return try constant(members)
  }

  private func constant(_ node: JSONNode, _ type: AttributeType?) throws(DepotError) -> Value {
    guard let type else { return try scalar(node) }
    if type == .json, !node.isNull { return .json(try JSONValue(node).text) }
    return try node.value(as: type)
  }

  func type(_ node: JSONNode) throws(DepotError) -> AttributeType {
    let name = try node.string()
    guard let type = AttributeType(rawValue: name), type != .composite else {
      throw invalid(node, "There is no such type.")
        .hint(Spelling.hint(for: name, in: AttributeType.allCases.map(\.rawValue)))
    }
    return type
  }

  /// Reads the second argument of `in`: an array of expressions, or a list of constants.
  mutating func alternatives(_ node: JSONNode) throws(DepotError) -> [QueryExpression] {
    if node.kind == .object {
      let members = try ExpressionMembers(node)
      if members.name == "value" || members.name == "variable",
        case .value(.list(let values)) = try expression(node)
      {
        return values.map(QueryExpression.value)
      }
      throw invalid(node, "\"in\" takes a list of values.")
        .hint(#"For a collection, write {"has": [collection, element]}."#)
    }
    var result: [QueryExpression] = []
    result.reserveCapacity(node.count)
    var constants = 0
    for element in try node.elements() {
      if Self.isConstant(element) {
        constants += 1
        result.append(.value(try constant(element)))
      } else {
        result.append(try expression(element))
      }
    }
    try count(constants, at: node)
    return result
  }

  private static func isConstant(_ node: JSONNode) -> Bool {
    switch node.kind {
    case .object: node.member("value") != nil
    case .array: false
    default: true
    }
  }

  private mutating func count(_ elements: Int, at node: JSONNode) throws(DepotError) {
    bindings.listed += elements
    guard bindings.listed <= Limits.listElements else {
      throw DepotError(
        .predicateTooLarge,
        "The lists of the request have over \(Limits.listElements) elements."
      ).at(node.pointer)
    }
  }

  /// Returns the value or element that `{"variable": name}` stands for.
  mutating func variable(_ node: JSONNode) throws(DepotError) -> QueryExpression {
    let name = try node.string()
    if name == "SELF" || scope.contains(name) { return .variable(name) }
    if let value = bindings.use(name) { return .value(value) }
    throw invalid(node, "There is no value for the variable \(name.quoted).")
      .hint(bindings.advice(for: name))
  }
}

extension Value {
  /// Reads a constant or a list of constants, written as a plain array here.
  package init(constant node: JSONNode) throws(DepotError) {
    var decoder = ExpressionDecoder(VariableBindings())
    self = try node.kind == .array ? decoder.constants(node) : decoder.constant(node)
  }
}
