public import DepotProtocol
public import FoundationEssentials

/// The translation of a Foundation predicate or expression for a record or model into an
/// expression for the service.
///
/// Each kind of node has a small extension in one of the files `PredicateLowering+….swift`. A
/// part that doesn't depend on the record is evaluated here and now, unless that could trap.
package struct PredicateLowering {
  /// The name of the record's type, for messages.
  package let model: String
  /// The names of types and properties.
  package let names: any PropertyNaming
  /// The meaning of each variable.
  package var bindings: [PredicateExpressions.VariableID: QueryExpression]
  /// How many names were given to the elements of collections.
  private var elements = 0
  /// The name of the element of the innermost collection around the current part; `nil` outside.
  package private(set) var innermost: String?

  /// - Parameters:
  ///   - model: The name of the type that the predicate is about, for messages.
  ///   - variable: The variable of the row.
  ///   - names: The names of types and properties.
  package init(
    model: String,
    variable: PredicateExpressions.VariableID,
    names: any PropertyNaming
  ) {
    self.model = model
    self.names = names
    bindings = [variable: .variable("SELF")]
  }

  /// Translates for a record.
  fileprivate init<Model: Record>(_: Model.Type, _ variable: PredicateExpressions.Variable<Model>) {
    self.init(model: "\(Model.self)", variable: variable.key, names: RecordNaming())
  }

  /// Translates a node that is true or false.
  ///
  /// - Throws: ``DepotError`` `request.predicate` that names the operation that the service lacks.
  package mutating func predicate(
    _ node: any PredicateExpression
  ) throws(DepotError) -> QueryExpression {
    if let constant = Constant(node), let isTrue = constant.value as? Bool {
      return isTrue ? .and([]) : .or([])
    }
    let lowered = try value(node)
    return lowered.isCondition ? lowered : .comparison(.equal, lowered, .value(.bool(true)))
  }

  /// Translates a node that is a value to be compared or computed with.
  ///
  /// - Throws: ``DepotError`` `request.predicate`.
  package mutating func value(_ node: any PredicateExpression) throws(DepotError) -> QueryExpression
  {
    if let constant = Constant(node) {
      if let value = self.constant(constant.value) { return .value(value) }
      throw refusal("a value of type \(type(of: constant.value))")
    }
    guard let node = node as? any LowerableExpression else {
      throw refusal(OperatorName.of(node))
    }
    return try node.lower(in: &self)
  }

  /// Translates a node that is a value to be compared with others; an object is its identifier.
  ///
  /// - Throws: ``DepotError`` `request.predicate`.
  package mutating func operand(
    _ node: any PredicateExpression
  ) throws(DepotError) -> QueryExpression {
    let lowered = try value(node)
    guard case .variable = lowered, names.isObject(node.outputType) else { return lowered }
    return lowered.member("$id")
  }

  /// Translates the test of a collection's elements; returns the name of the element too.
  ///
  /// - Throws: ``DepotError`` `request.predicate`.
  package mutating func test(
    _ node: any PredicateExpression,
    of variable: PredicateExpressions.VariableID
  ) throws(DepotError) -> (name: String, test: QueryExpression) {
    elements += 1
    let name = elements == 1 ? "x" : "x\(elements)"
    bindings[variable] = .variable(name)
    let outer = innermost
    innermost = name
    defer { innermost = outer }
    return (name, try predicate(node))
  }

  /// Returns the error for a part of a predicate that the service can't use.
  package func refusal(_ what: String, hint: String? = nil) -> DepotError {
    DepotError(.predicate, "A predicate for \(model) can't use \(what).", hint: hint)
  }
}

extension QueryExpression {
  /// Translates a predicate for the service.
  ///
  /// - Throws: ``DepotError`` `request.predicate` that names the operator or the property that the
  ///   service doesn't have.
  public init<Model: Record>(_ predicate: Predicate<Model>) throws(DepotError) {
    var lowering = PredicateLowering(Model.self, predicate.variable)
    self = try lowering.predicate(predicate.expression)
  }

  /// Translates an expression for the service, to sort, group, or aggregate by.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if the service can't evaluate the expression.
  public init<Model: Record, Output>(
    _ expression: Expression<Model, Output>
  ) throws(DepotError) {
    var lowering = PredicateLowering(Model.self, expression.variable)
    self = try lowering.value(expression.expression)
  }

  package init?<Model: Record>(lowering predicate: Predicate<Model>?) throws(DepotError) {
    guard let predicate else { return nil }
    try self.init(predicate)
  }
}

/// A node of a predicate that the service can evaluate.
package protocol LowerableExpression {
  /// Returns the service's expression for the node.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if a part has no counterpart.
  func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression
}

extension PredicateExpression {
  /// The type of the output.
  package var outputType: Any.Type { Output.self }
}

extension QueryExpression {
  /// Whether this is true or false by its form.
  package var isCondition: Bool {
    switch self {
    case .comparison, .text, .between, .in, .and, .or, .not, .search, .is, .quantified, .contains:
      true
    default: false
    }
  }

  /// Returns the expression of the key path `path` from here.
  package func member(_ path: String) -> QueryExpression {
    switch self {
    case .variable("SELF"): .attribute(path)
    case .attribute(let start): .attribute("\(start).\(path)")
    case .member(let base, let start): .member(base, "\(start).\(path)")
    default: .member(self, path)
    }
  }
}

/// A node whose comparison with a constant isn't a plain comparison of values.
package protocol EqualityLowering {
  /// Returns the service's expression for equality with a constant; `nil` for a plain comparison.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if a part has no counterpart.
  func lowerEquality(
    to constant: Any,
    in lowering: inout PredicateLowering
  ) throws(DepotError) -> QueryExpression?
}

/// The names by which people know the operators that the service doesn't have.
enum OperatorName {
  /// Returns the name of a node's operator.
  static func of(_ node: any PredicateExpression) -> String {
    let name = String("\(type(of: node))".prefix { $0 != "<" })
    return names[name] ?? name
  }

  private static let names = [
    "ExpressionEvaluate": "evaluate(_:)", "PredicateEvaluate": "evaluate(_:)",
  ]
}
