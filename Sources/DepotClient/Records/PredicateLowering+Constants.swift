internal import DepotProtocol
internal import FoundationEssentials

/// What a part of a predicate that doesn't depend on the record comes to.
struct Constant {
  let value: Any

  /// Evaluates `node`; `nil` if it depends on the record or might trap, as `1...lower` and `1 / n`.
  init?(_ node: any PredicateExpression) {
    guard Self.isSafe(node), let value = try? Self.evaluate(node) else { return nil }
    self.value = value
  }

  /// Returns whether `node` and its parts don't depend on the record, but at most on `variables`.
  fileprivate static func isSafe(
    _ node: any PredicateExpression,
    _ variables: Set<PredicateExpressions.VariableID> = []
  ) -> Bool {
    (node as? any ConstantExpression)?.isConstant(variables) ?? false
  }

  private static func evaluate(_ node: some PredicateExpression) throws -> Any {
    try node.evaluate(PredicateBindings())
  }

  /// The value as one that an attribute can have, or `nil`.
  var attributeValue: Value? { Self.attributeValue(value) }

  /// Returns `value` as one that an attribute can have, or `nil`.
  ///
  /// A record is its identifier, an enumeration its raw value or else the name of its case.
  static func attributeValue(_ value: Any) -> Value? {
    switch value {
    case let value as any OptionalConstant: value.wrapped.map(attributeValue) ?? .null
    case let value as any AttributeValue: value.attributeValue
    case let value as any Record: identifier(of: value)
    case let value as any StringProtocol: .string(String(value))
    case let value as Character: .string(String(value))
    case let value as any RawRepresentable: attributeValue(value.rawValue)
    case let value as any Collection: list(value)
    default: caseName(value).map(Value.string)
    }
  }

  private static func identifier<Model: Record>(of record: Model) -> Value? {
    let attribute = Model.attributes.all.first { $0.name == "$id" }
    let identifier = attribute.flatMap { record[keyPath: $0.keyPath] as? Identifier<Model> }
    return identifier?.attributeValue
  }

  private static func list(_ collection: some Collection) -> Value? {
    guard !(collection is any KeyedConstant) else { return nil }
    var values: [Value] = []
    for element in collection {
      guard let value = attributeValue(element) else { return nil }
      values.append(value)
    }
    return .list(values)
  }

  private static func caseName(_ value: Any) -> String? {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum, mirror.children.isEmpty else { return nil }
    return String(describing: value)
  }
}

/// An optional of any type.
private protocol OptionalConstant {
  var wrapped: Any? { get }
}

extension Optional: OptionalConstant {
  fileprivate var wrapped: Any? { map { $0 } }
}

/// A dictionary of any type, which isn't a list of its pairs.
private protocol KeyedConstant {}

extension Dictionary: KeyedConstant {}

/// A node that can be evaluated without harm if its parts can.
private protocol ConstantExpression {
  func isConstant(_ variables: Set<PredicateExpressions.VariableID>) -> Bool
}

extension PredicateExpressions.Value: ConstantExpression {
  fileprivate func isConstant(_: Set<PredicateExpressions.VariableID>) -> Bool { true }
}

extension PredicateExpressions.NilLiteral: ConstantExpression {
  fileprivate func isConstant(_: Set<PredicateExpressions.VariableID>) -> Bool { true }
}

extension PredicateExpressions.Variable: ConstantExpression {
  fileprivate func isConstant(_ variables: Set<PredicateExpressions.VariableID>) -> Bool {
    variables.contains(key)
  }
}

extension PredicateExpressions.KeyPath: ConstantExpression {
  fileprivate func isConstant(_ variables: Set<PredicateExpressions.VariableID>) -> Bool {
    Constant.isSafe(root, variables)
  }
}

extension PredicateExpressions.NilCoalesce: ConstantExpression {
  fileprivate func isConstant(_ variables: Set<PredicateExpressions.VariableID>) -> Bool {
    Constant.isSafe(lhs, variables) && Constant.isSafe(rhs, variables)
  }
}

extension PredicateExpressions.OptionalFlatMap: ConstantExpression {
  fileprivate func isConstant(_ variables: Set<PredicateExpressions.VariableID>) -> Bool {
    Constant.isSafe(wrapped, variables)
      && Constant.isSafe(transform, variables.union([variable.key]))
  }
}
