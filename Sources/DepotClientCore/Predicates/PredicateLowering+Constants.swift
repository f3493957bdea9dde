package import DepotProtocol
package import FoundationEssentials

/// The value of a part of a predicate that doesn't depend on the record.
package struct Constant {
  package let value: Any

  /// Evaluates `node`; `nil` if it depends on the record or might trap, as `1...lower` and `1 / n`.
  package init?(_ node: any PredicateExpression) {
    guard Self.isSafe(node), let value = try? Self.evaluate(node) else { return nil }
    self.value = value
  }

  /// Returns whether `node` and its parts don't depend on the record, but at most on `variables`.
  package static func isSafe(
    _ node: any PredicateExpression,
    _ variables: Set<PredicateExpressions.VariableID> = []
  ) -> Bool {
    (node as? any ConstantExpression)?.isConstant(variables) ?? false
  }

  private static func evaluate(_ node: some PredicateExpression) throws -> Any {
    try node.evaluate(PredicateBindings())
  }
}

extension PredicateLowering {
  /// Returns `value` as one that an attribute can have, or `nil`.
  ///
  /// A record is its identifier, an enumeration its raw value or else the name of its case.
  package func constant(_ value: Any) -> Value? {
    switch value {
    case let value as any OptionalContent: return value.wrapped.map(constant) ?? .null
    case let value as any AttributeValue: return value.attributeValue
    default: break
    }
    if let value = names.value(of: value) { return value }
    return switch value {
    case let value as any StringProtocol: .string(String(value))
    case let value as Character: .string(String(value))
    case let value as any RawRepresentable: constant(value.rawValue)
    case let value as any Collection: list(value)
    default: CaseName.of(value).map(Value.string)
    }
  }

  private func list(_ collection: some Collection) -> Value? {
    guard !(collection is any KeyedContent) else { return nil }
    var values: [Value] = []
    for element in collection {
      guard let value = constant(element) else { return nil }
      values.append(value)
    }
    return .list(values)
  }
}

/// An optional of any type.
protocol OptionalContent {
  static var wrappedType: Any.Type { get }
  var wrapped: Any? { get }
}

extension Optional: OptionalContent {
  static var wrappedType: Any.Type { Wrapped.self }
  var wrapped: Any? { map { $0 } }
}

/// A node that can be evaluated without harm if its parts can.
package protocol ConstantExpression {
  var parts: [any PredicateExpression] { get }
  /// Whether its parts don't depend on the record, but at most on `variables`.
  func isConstant(_ variables: Set<PredicateExpressions.VariableID>) -> Bool
}

extension ConstantExpression {
  package var parts: [any PredicateExpression] { [] }

  package func isConstant(_ variables: Set<PredicateExpressions.VariableID>) -> Bool {
    parts.allSatisfy { Constant.isSafe($0, variables) }
  }
}

extension PredicateExpressions.Value: ConstantExpression {}

extension PredicateExpressions.NilLiteral: ConstantExpression {}

extension PredicateExpressions.Variable: ConstantExpression {
  package func isConstant(_ variables: Set<PredicateExpressions.VariableID>) -> Bool {
    variables.contains(key)
  }
}

extension PredicateExpressions.KeyPath: ConstantExpression {
  package var parts: [any PredicateExpression] { [root] }
}

extension PredicateExpressions.NilCoalesce: ConstantExpression {
  package var parts: [any PredicateExpression] { [lhs, rhs] }
}

extension PredicateExpressions.OptionalFlatMap: ConstantExpression {
  package func isConstant(_ variables: Set<PredicateExpressions.VariableID>) -> Bool {
    Constant.isSafe(wrapped, variables)
      && Constant.isSafe(transform, variables.union([variable.key]))
  }
}
