extension QueryExpression {
  /// Reads a predicate from its JSON form, or from a string in the format language.
  ///
  /// - Throws: ``DepotError`` `request.predicate` or `limit.predicate` that names the place.
  package init(_ node: JSONNode) throws(DepotError) {
    var bindings = VariableBindings()
    try self.init(node, &bindings)
  }

  /// Reads an expression from its JSON form, or from a string in the format language, with values for
  /// the variables in it.
  ///
  /// - Throws: ``DepotError`` `request.predicate` or `limit.predicate` that names the place.
  package init(
    _ node: JSONNode,
    _ bindings: inout VariableBindings,
    as subject: PredicateParser.Subject = .predicate
  ) throws(DepotError) {
    if node.kind == .string {
      let text = try node.string()
      self = try DepotError.at(
        node.pointer,
        try PredicateParser.parse(text, &bindings, as: subject)
      )
    } else {
      var decoder = ExpressionDecoder(bindings)
      self = try decoder.expression(node)
      bindings = decoder.bindings
      try DepotError.at(node.pointer, try bindings.count(nodes: decoder.nodes))
    }
  }
}

/// A reader of one expression, which limits its size.
@Memberwise("bindings")
struct ExpressionDecoder {
  var bindings: VariableBindings
  /// The names of the elements of enclosing quantifiers and filters.
  var scope: [String] = []
  private(set) var nodes: Int = 0
  private var depth = 0

  mutating func expression(_ node: JSONNode) throws(DepotError) -> QueryExpression {
    nodes += 1
    depth += 1
    defer { depth -= 1 }
    guard nodes <= Limits.predicateNodes, depth <= Limits.predicateDepth else {
      throw DepotError(.predicateTooLarge, PredicateFailure.size)
    }
    switch node.kind {
    case .object: return try operation(try ExpressionMembers(node))
    case .array:
      throw node.wrongType("an expression")
        .hint(#"A list of constants is written {"value": [1, 2], "list": true}."#)
    default: return .value(try scalar(node))
    }
  }

  mutating func list(_ node: JSONNode, count: Int? = nil) throws(DepotError) -> [QueryExpression] {
    try elements(node, count: count).map { (node) throws(DepotError) in try expression(node) }
  }

  func elements(_ node: JSONNode, count: Int?) throws(DepotError) -> [JSONNode] {
    let elements = try node.elements()
    if let count, elements.count != count {
      throw invalid(node, "This operator takes \(count) operands, not \(elements.count).")
    }
    return elements
  }

  /// Reads an expression that must not be a single constant.
  mutating func collection(_ node: JSONNode) throws(DepotError) -> QueryExpression {
    let collection = try expression(node)
    if collection.isScalarConstant { throw invalid(node, "Expected a collection, found a value.") }
    return collection
  }

  func entity(_ members: ExpressionMembers) throws(DepotError) -> String {
    let node = try members.required("entity")
    let name = try node.string()
    guard KeyPathSyntax.isName(name) else {
      throw invalid(node, "\(name.quoted) isn't the name of an entity.")
    }
    return name
  }

  func options(_ members: ExpressionMembers) throws(DepotError) -> QueryExpression.TextOptions {
    guard let node = members.optional("options") else { return [] }
    let letters = try node.string()
    if letters.isEmpty { return [] }
    guard let options = QueryExpression.TextOptions(letters: letters) else {
      throw invalid(node, "The options are letters of \"cdnl\".")
    }
    return options
  }

  func position(_ node: JSONNode) throws(DepotError) -> Int {
    Int(try node.int64())
  }

  func invalid(_ node: JSONNode, _ message: String) -> DepotError {
    DepotError(.predicate, message).at(node.pointer)
  }
}
