package import DepotClientCore
public import DepotProtocol

/// A number without its sign.
@Memberwise("base")
public struct Magnitude<Base: StandardPredicateExpression>: StandardPredicateExpression
where Base.Output: SignedNumeric & Comparable {
  /// The number.
  public let base: Base

  public func evaluate(_ bindings: PredicateBindings) throws -> Base.Output {
    abs(try base.evaluate(bindings))
  }
}

extension Magnitude: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    .function(.abs, [try lowering.value(base)])
  }
}

/// A number as one of another type, or as text.
@Memberwise("base")
public struct ValueConversion<Base: StandardPredicateExpression, Output: ConvertedValue>:
  StandardPredicateExpression
{
  /// The number.
  public let base: Base

  /// - Throws: `PredicateError.invalidInput` if the number is beyond the range of the type.
  public func evaluate(_ bindings: PredicateBindings) throws -> Output {
    guard let result = Output(converting: try base.evaluate(bindings)) else {
      throw PredicateError.invalidInput
    }
    return result
  }
}

extension ValueConversion: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    .convert(try lowering.value(base), Output.attributeType)
  }
}

/// A type that numbers are converted to in predicates.
public protocol ConvertedValue: AttributeValue, Codable, Sendable {
  /// Creates the value that a number is; `nil` if there is none.
  init?(converting number: Any)
}

extension Double: ConvertedValue {
  public init?(converting number: Any) {
    switch number {
    case let number as any BinaryInteger: self = Double(number)
    case let number as Double: self = number
    default: return nil
    }
  }
}

extension Int: ConvertedValue {
  public init?(converting number: Any) {
    switch number {
    case let number as any BinaryInteger: self.init(exactly: number)
    case let number as Double: self.init(exactly: number.rounded(.towardZero))
    default: return nil
    }
  }
}

extension String: ConvertedValue {
  public init?(converting number: Any) {
    guard let number = number as? any BinaryInteger else { return nil }
    self = "\(number)"
  }
}
