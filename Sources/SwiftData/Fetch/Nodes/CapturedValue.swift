internal import DepotClient

/// A value that a predicate captures and that can't be encoded, such as a model.
// because a predicate only compares the value, and a model's identity doesn't change
public struct CapturedValue<Output>: StandardPredicateExpression, @unchecked Sendable {
  /// The value.
  public let value: Output

  /// Creates the part of a value.
  public init(_ value: Output) { self.value = value }

  public func evaluate(_: PredicateBindings) -> Output { value }

  /// - Throws: An `EncodingError` always.
  public func encode(to encoder: any Encoder) throws { throw encoder.refusal(of: Self.self) }

  /// - Throws: A `DecodingError` always.
  public init(from decoder: any Decoder) throws { throw decoder.refusal(of: Self.self) }
}

extension CapturedValue: ConstantExpression {
  package func isConstant(_: Set<PredicateExpressions.VariableID>) -> Bool { true }
}

extension Encoder {
  /// The error that a part of a predicate can't be encoded.
  func refusal(of type: Any.Type) -> EncodingError {
    EncodingError.invalidValue(
      type,
      EncodingError.Context(codingPath: codingPath, debugDescription: "\(type) can't be encoded.")
    )
  }
}

extension Decoder {
  /// The error that a part of a predicate can't be decoded.
  func refusal(of type: Any.Type) -> DecodingError {
    DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: codingPath, debugDescription: "\(type) can't be decoded.")
    )
  }
}
