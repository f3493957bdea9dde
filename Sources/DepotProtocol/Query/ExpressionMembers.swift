/// The operator of an expression's object, with the members beside it.
struct ExpressionMembers {
  let node: JSONNode
  /// The name of the operator.
  let name: String
  let place: JSONNode
  let argument: JSONNode
  private var companions: [String: JSONNode] = [:]

  /// - Throws: ``DepotError`` `request.predicate` if there is no operator, or more than one.
  init(_ node: JSONNode) throws(DepotError) {
    self.node = node
    var members: [(name: String, place: JSONNode, value: JSONNode)] = []
    for (place, value) in try node.members() {
      members.append((try place.string(), place, value))
    }
    // The members of an object have no order, so the operator may come second. "in" and "variable"
    // are operators unless they stand beside an operator that takes them as arguments.
    var place = members.firstIndex { !ExpressionOperators.companions.contains($0.name) }
    if members.count > 1 {
      place = members.firstIndex { ExpressionOperators.takesOperator($0.name) } ?? place
    }
    guard let place else {
      throw DepotError(.predicate, "An expression has no operator.").at(node.pointer)
    }
    (name, self.place, argument) = members.remove(at: place)
    guard let allowed = ExpressionOperators.table[name] else {
      throw DepotError(.predicate, "There is no operator \"\(name)\".")
        .hint(Spelling.hint(for: name, in: ExpressionOperators.table.keys.sorted()))
        .at(self.place.pointer)
    }
    for member in members {
      guard allowed.contains(member.name) else {
        throw DepotError(.predicate, "\"\(name)\" can't have the member \"\(member.name)\".")
          .at(member.place.pointer)
      }
      companions[member.name] = member.value
    }
  }

  func optional(_ name: String) -> JSONNode? { companions[name] }

  /// - Throws: ``DepotError`` `request.predicate` if the member is missing.
  func required(_ name: String) throws(DepotError) -> JSONNode {
    guard let value = companions[name] else {
      throw DepotError(.predicate, "\"\(self.name)\" needs the member \"\(name)\".")
        .at(node.pointer)
    }
    return value
  }
}

/// The operators of the JSON form.
enum ExpressionOperators {
  /// The members that are never operators.
  static let companions: Set<String> = ["options", "type", "list", "entity"]

  /// Whether a member with the name of an operator may stand beside `name`.
  static func takesOperator(_ name: String) -> Bool {
    table[name]?.contains { $0 == "variable" || $0 == "in" } ?? false
  }

  /// Every operator with the members that may stand beside it.
  static let table: [String: [String]] = {
    var table: [String: [String]] = [
      "value": ["type", "list"], "attribute": [], "variable": [], "member": [], "now": [],
      "between": [], "in": ["options"], "and": [], "or": [], "not": [], "negate": [],
      "search": ["in"], "is": ["entity"], "as": ["entity"], "convert": ["type"], "if": [],
      "coalesce": [], "filter": ["variable"], "has": [], "element": [], "slice": [],
      "values": [],
    ]
    for name in QueryExpression.Comparison.allCases { table[name.rawValue] = ["options"] }
    for name in QueryExpression.TextTest.allCases { table[name.rawValue] = ["options"] }
    for name in QueryExpression.Arithmetic.allCases { table[name.rawValue] = [] }
    for name in QueryExpression.Function.allCases { table[name.rawValue] = [] }
    for name in QueryExpression.Quantifier.allCases { table[name.rawValue] = ["variable"] }
    for name in QueryExpression.Aggregate.allCases { table[name.rawValue] = [] }
    return table
  }()
}
