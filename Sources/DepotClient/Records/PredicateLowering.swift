internal import DepotProtocol
internal import FoundationEssentials

/// The translation of a Foundation predicate for a record into an expression for the service.
///
/// Each kind of node has a small extension in one of the files `PredicateLowering+….swift`. A
/// part that doesn't depend on the record is evaluated here and now, unless that could trap.
struct PredicateLowering {
  /// What a variable of the predicate stands for.
  enum Binding {
    case record
    case expression(QueryExpression)
  }

  /// The name of the record's type, for messages.
  let model: String
  /// Returns the name of the attribute that a property stands for.
  let attributeName: (AnyKeyPath) throws(DepotError) -> String
  var bindings: [PredicateExpressions.VariableID: Binding]

  /// Translates a predicate.
  ///
  /// - Throws: ``DepotError`` `request.predicate` that names the operator or the property that the
  ///   service doesn't have.
  static func lower<Model: Record>(
    _ predicate: Predicate<Model>
  ) throws(DepotError) -> QueryExpression {
    var lowering = PredicateLowering(
      model: "\(Model.self)",
      attributeName: Model.attributeName(of:),
      bindings: [predicate.variable.key: .record]
    )
    return try lowering.predicate(predicate.expression)
  }

  /// Translates a node that is true or false.
  mutating func predicate(
    _ node: any PredicateExpression
  ) throws(DepotError) -> QueryExpression {
    if let constant = Constant(node), let isTrue = constant.value as? Bool {
      return isTrue ? .and([]) : .or([])
    }
    let lowered = try value(node)
    guard case .attribute = lowered else { return lowered }
    return .comparison(.equal, lowered, .value(.bool(true)))
  }

  /// Translates a node that is a value to be compared or computed with.
  mutating func value(_ node: any PredicateExpression) throws(DepotError) -> QueryExpression {
    if let constant = Constant(node) {
      if let value = constant.attributeValue { return .value(value) }
      throw refusal("a value of type \(type(of: constant.value))")
    }
    guard let node = node as? any LowerableExpression else {
      throw refusal(OperatorName.of(node))
    }
    return try node.lower(in: &self)
  }

  /// Returns the error that the service doesn't have `what`.
  func refusal(_ what: String, hint: String? = nil) -> DepotError {
    DepotError(.predicate, "A predicate for \(model) can't use \(what).", hint: hint)
  }
}

/// A node of a predicate that the service has something for.
protocol LowerableExpression {
  /// Returns what the service has for the node.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if a part has no counterpart.
  func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression
}
