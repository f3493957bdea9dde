internal import DepotClient

/// A value that a predicate captures and that can't be encoded, such as a model.
// because a predicate only compares the value, and a model's identity doesn't change
public struct CapturedValue<Output>: UnencodedPart, @unchecked Sendable {
  /// The value.
  public let value: Output

  /// Creates the part of a value.
  public init(_ value: Output) { self.value = value }

  public func evaluate(_: PredicateBindings) -> Output { value }
}

extension CapturedValue: ConstantExpression {}

/// A part of a predicate that can't be encoded.
public protocol UnencodedPart: StandardPredicateExpression {}

extension UnencodedPart {
  /// - Throws: An `EncodingError` always.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      Self.self,
      EncodingError.Context(
        codingPath: encoder.codingPath,
        debugDescription: "\(Self.self) can't be encoded."
      )
    )
  }

  /// - Throws: A `DecodingError` always.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: decoder.codingPath,
        debugDescription: "\(Self.self) can't be decoded."
      )
    )
  }
}
