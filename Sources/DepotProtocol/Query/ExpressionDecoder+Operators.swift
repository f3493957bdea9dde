/// Reads operators.
extension ExpressionDecoder {
  mutating func operation(_ members: ExpressionMembers) throws(DepotError) -> QueryExpression {
    let argument = members.argument
    switch members.name {
    case "value": return .value(try constant(members))
    case "attribute": return .attribute(try KeyPathSyntax.path(argument))
    case "variable": return try variable(argument)
    case "member":
      let parts = try elements(argument, count: 2)
      return .member(try expression(parts[0]), try KeyPathSyntax.path(parts[1]))
    case "now":
      guard try argument.bool() else { throw invalid(argument, "\"now\" can only be true.") }
      return .now
    case "and": return .and(try list(argument))
    case "or": return .or(try list(argument))
    case "not": return .not(try expression(argument))
    case "negate": return .negate(try expression(argument))
    case "between":
      let parts = try list(argument, count: 3)
      return .between(parts[0], parts[1], parts[2])
    case "in":
      let parts = try elements(argument, count: 2)
      return .in(
        try expression(parts[0]),
        try alternatives(parts[1]),
        options: try options(members)
      )
    case "is": return .is(try expression(argument), entity: try entity(members))
    case "as": return .cast(try expression(argument), entity: try entity(members))
    case "convert":
      let node = try members.required("type")
      if node.kind == .string, let width = NumberWidth(rawValue: try node.string()) {
        return .narrow(try expression(argument), width)
      }
      let type = try type(node)
      guard type.isScalar else { throw invalid(node, "Nothing can become a value of this type.") }
      return .convert(try expression(argument), type)
    case "if":
      let parts = try list(argument, count: 3)
      return .conditional(parts[0], parts[1], parts[2])
    case "coalesce":
      let parts = try list(argument)
      guard !parts.isEmpty else { throw invalid(argument, "\"coalesce\" takes at least one.") }
      return .coalesce(parts)
    case "search":
      let paths = try members.optional("in")?.elements().map(KeyPathSyntax.path) ?? []
      return .search(paths, try argument.string())
    default:
      if let operation = try collectionOperation(members) { return operation }
      return try binary(members)
    }
  }

  private mutating func collectionOperation(
    _ members: ExpressionMembers
  ) throws(DepotError) -> QueryExpression? {
    let argument = members.argument
    if let quantifier = QueryExpression.Quantifier(rawValue: members.name) {
      let (collection, name, predicate) = try elementwise(members)
      return .quantified(quantifier, collection, name, predicate)
    }
    if let aggregate = QueryExpression.Aggregate(rawValue: members.name) {
      return .aggregate(aggregate, try collection(argument))
    }
    switch members.name {
    case "values":
      let parts = try list(argument)
      for (part, node) in zip(parts, try argument.elements()) where part.isList {
        throw invalid(node, "A list can't hold lists.")
      }
      return .collection(of: parts)
    case "filter":
      let (collection, name, predicate) = try elementwise(members)
      return .filtered(collection, name, predicate)
    case "has":
      let parts = try elements(argument, count: 2)
      return .contains(try collection(parts[0]), try expression(parts[1]))
    case "element":
      let parts = try elements(argument, count: 2)
      return .element(try collection(parts[0]), try position(parts[1]))
    case "slice":
      let parts = try elements(argument, count: 3)
      let (lower, upper) = (try position(parts[1]), try position(parts[2]))
      guard 0 <= lower, lower <= upper else {
        throw invalid(argument, "A slice goes from a position to one that isn't before it.")
      }
      return .slice(try collection(parts[0]), lower..<upper)
    default: return nil
    }
  }

  /// Reads a collection, the name of its elements, and a predicate about each element.
  private mutating func elementwise(
    _ members: ExpressionMembers
  ) throws(DepotError) -> (QueryExpression, String, QueryExpression) {
    let node = try members.required("variable")
    let name = try node.string()
    guard KeyPathSyntax.isVariable(name) else {
      throw invalid(node, "\(name.quoted) can't be the name of an element.")
        .hint(
          "A name has letters, digits and underscores; SELF, id, version, and entity are taken."
        )
    }
    let parts = try elements(members.argument, count: 2)
    let collection = try collection(parts[0])
    scope.append(name)
    defer { scope.removeLast() }
    return (collection, name, try expression(parts[1]))
  }

  private mutating func binary(_ members: ExpressionMembers) throws(DepotError) -> QueryExpression {
    if let function = QueryExpression.Function(rawValue: members.name) {
      return .function(function, try list(members.argument, count: function.arity))
    }
    let parts = try list(members.argument, count: 2)
    if let comparison = QueryExpression.Comparison(rawValue: members.name) {
      return .comparison(comparison, parts[0], parts[1], options: try options(members))
    }
    if let test = QueryExpression.TextTest(rawValue: members.name) {
      return .text(test, parts[0], parts[1], options: try options(members))
    }
    if let arithmetic = QueryExpression.Arithmetic(rawValue: members.name) {
      return .arithmetic(arithmetic, parts[0], parts[1])
    }
    throw invalid(members.place, "There is no operator \"\(members.name)\".")
  }
}
