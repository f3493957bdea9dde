internal import FoundationEssentials
internal import Glibc

extension QueryExpression.Function {
  /// Returns the value of the function; null if an argument is null or there is no result.
  package func value(_ arguments: [Value]) -> Value {
    guard arguments.count == arity, !arguments.contains(.null) else { return .null }
    if self == .random { return .double(Double.random(in: 0..<1)) }
    guard let first = arguments.first else { return .null }
    let value: Value? =
      switch self {
      case .uppercase: first.text.map { .string($0.uppercased()) }
      case .lowercase: first.text.map { .string($0.lowercased()) }
      case .canonical:
        first.text.map {
          .string(TextFolding.fold($0, [.caseInsensitive, .diacriticInsensitive]))
        }
      case .length: Self.length(first)
      case .concatenate: Self.concatenate(first, arguments[1])
      case .abs, .floor, .ceiling, .trunc, .round: simplified(first)
      case .sqrt, .exp, .ln, .log:
        ValueArithmetic.double(first).flatMap {
          ValueArithmetic.result(transcendent($0), of: $0).map(Value.double)
        }
      case .json: Self.member(first, arguments[1])
      default: Self.bits(self, arguments)
      }
    return value ?? .null
  }

  private static func length(_ value: Value) -> Value? {
    if case .data(let data) = value { return .int64(Int64(data.count)) }
    return value.text.map { .int64(Int64($0.count)) }
  }

  private static func concatenate(_ left: Value, _ right: Value) -> Value? {
    guard case .string(let left)? = left.cast(to: .string),
      case .string(let right)? = right.cast(to: .string),
      left.utf8.count + right.utf8.count <= Limits.valueBytes
    else { return nil }
    return .string(left + right)
  }

  private static func member(_ json: Value, _ name: Value) -> Value? {
    guard case .json(let text) = json, let name = name.text else { return nil }
    return JSONMember.member(name, of: text).map(Value.json)
  }

  private func simplified(_ value: Value) -> Value? {
    switch value {
    case .int64(let number):
      return self == .abs ? (number == .min ? nil : .int64(Swift.abs(number))) : value
    case .double(let number):
      return .double(self == .abs ? number.magnitude : number.rounded(rounding))
    case .decimal(let number):
      if number.isNaN { return nil }
      if self == .abs { return .decimal(number.magnitude) }
      return DecimalParts(number).rounded(rounding).map(Value.decimal)
    default: return nil
    }
  }

  private var rounding: FloatingPointRoundingRule {
    switch self {
    case .floor: .down
    case .ceiling: .up
    case .trunc: .towardZero
    default: .toNearestOrAwayFromZero
    }
  }

  private func transcendent(_ number: Double) -> Double {
    switch self {
    case .sqrt: number.squareRoot()
    case .exp: Glibc.exp(number)
    case .ln: Glibc.log(number)
    default: Glibc.log10(number)
    }
  }

  private static func bits(_ function: Self, _ arguments: [Value]) -> Value? {
    guard case .int64(let left)? = arguments.first else { return nil }
    if function == .onesComplement { return .int64(~left) }
    if function == .randomn { return left > 0 ? .int64(Int64.random(in: 0..<left)) : nil }
    guard case .int64(let right)? = arguments.last else { return nil }
    switch function {
    case .bitwiseAnd: return .int64(left & right)
    case .bitwiseOr: return .int64(left | right)
    case .bitwiseXor: return .int64(left ^ right)
    // Swift's shifts beyond the width give 0 or the sign.
    case .leftshift: return .int64(left << right)
    case .rightshift: return .int64(left >> right)
    default: return nil
    }
  }
}
