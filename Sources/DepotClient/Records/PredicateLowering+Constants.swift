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

  /// Returns whether `node` and its parts don't depend on the record.
  fileprivate static func isSafe(_ node: any PredicateExpression) -> Bool {
    (node as? any ConstantExpression)?.isConstant ?? false
  }

  private static func evaluate(_ node: some PredicateExpression) throws -> Any {
    try node.evaluate(PredicateBindings())
  }

  /// The value as one that an attribute can have, or `nil`.
  var attributeValue: Value? { Self.attributeValue(value) }

  /// Returns `value` as one that an attribute can have, or `nil`.
  static func attributeValue(_ value: Any) -> Value? {
    switch value {
    case let value as any OptionalConstant: value.wrapped.map(attributeValue) ?? .null
    case let value as any AttributeValue: value.attributeValue
    case let value as any IdentifierConstant: .int64(value.value)
    case let value as any BinaryInteger: Int64(exactly: value).map(Value.int64)
    case let value as Float: .double(Double(value))
    case let value as any StringProtocol: .string(String(value))
    case let value as Character: .string(String(value))
    default: nil
    }
  }
}

/// An optional of any type.
private protocol OptionalConstant {
  var wrapped: Any? { get }
}

extension Optional: OptionalConstant {
  fileprivate var wrapped: Any? { map { $0 } }
}

/// An identifier of any entity.
private protocol IdentifierConstant {
  var value: Int64 { get }
}

extension Identifier: IdentifierConstant {}

/// A node that can be evaluated without harm if its parts can.
private protocol ConstantExpression {
  var isConstant: Bool { get }
}

extension PredicateExpressions.Value: ConstantExpression {
  fileprivate var isConstant: Bool { true }
}

extension PredicateExpressions.NilLiteral: ConstantExpression {
  fileprivate var isConstant: Bool { true }
}

extension PredicateExpressions.KeyPath: ConstantExpression {
  fileprivate var isConstant: Bool { Constant.isSafe(root) }
}

extension PredicateExpressions.NilCoalesce: ConstantExpression {
  fileprivate var isConstant: Bool { Constant.isSafe(lhs) && Constant.isSafe(rhs) }
}
