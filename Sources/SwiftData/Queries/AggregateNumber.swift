internal import DepotProtocol
public import Foundation

/// A type of numbers that the store computes with: `Int`, `Int64`, `Double`, or `Decimal`.
public protocol AggregateNumber: AdditiveArithmetic, Comparable, Sendable {}

extension Int: AggregateNumber {}
extension Int64: AggregateNumber {}
extension Double: AggregateNumber {}
extension Decimal: AggregateNumber {}

extension AggregateNumber {
  static var attributeType: AttributeType {
    (Self.self as? any AttributeValue.Type)?.attributeType ?? .double
  }

  /// Creates the number that the store has computed; `nil` if it's of another type.
  init?(aggregate value: DepotProtocol.Value) {
    let forms: [Any] =
      switch value {
      case .int64(let number): [number, Int(number)]
      case .double(let number): [number]
      case .decimal(let number): [number]
      default: []
      }
    guard let number = forms.lazy.compactMap({ $0 as? Self }).first else { return nil }
    self = number
  }
}
