internal import Foundation

/// A value that was decoded without knowing its type.
enum CodedTree: Codable, Sendable {
  case null
  /// A truth value, a number, or text.
  case scalar(any Codable & Sendable)
  case list([CodedTree])
  case members([String: CodedTree])

  /// The types of scalars, the most compact first.
  private static let scalars: [any (Codable & Sendable).Type] = [
    Bool.self, Int64.self, UInt64.self, Double.self, String.self,
  ]

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = Self.scalars.lazy.compactMap({ try? container.decode($0) }).first {
      self = .scalar(value)
    } else if let value = try? container.decode([CodedTree].self) {
      self = .list(value)
    } else {
      self = .members(try container.decode([String: CodedTree].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .scalar(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .members(let value): try container.encode(value)
    }
  }
}

extension CodedTree {
  /// Converts a value to a tree; `nil` if it can't be encoded.
  init?(_ value: Any) {
    guard let value = value as? any Encodable else { return nil }
    func encode(_ value: some Encodable) throws -> Data {
      try JSONEncoder.ofAnyNumber.encode([value])
    }
    guard let data = try? encode(value),
      let list = try? JSONDecoder().decode([CodedTree].self, from: data), let tree = list.first
    else { return nil }
    self = tree
  }

  /// Decodes the tree as a type; `nil` if it doesn't fit.
  ///
  /// Dates may be numbers or text.
  func decoded<Content: Decodable>(_: Content.Type) -> Content? {
    guard let data = try? JSONEncoder().encode([self]) else { return nil }
    let decoder = JSONDecoder.ofAnyNumber
    if let value = try? decoder.decode([Content].self, from: data).first { return value }
    decoder.dateDecodingStrategy = .iso8601
    return try? decoder.decode([Content].self, from: data).first
  }

  /// Returns the value of an attribute; `nil` if this isn't one.
  func value(of property: PropertyDescription) -> Any? {
    guard let type = property.decodableType else { return nil }
    func decode<Content: Decodable>(_: Content.Type) -> Any? { decoded(Content.self) }
    return decode(type)
  }
}

extension JSONEncoder {
  /// An encoder that accepts infinite numbers and NaN.
  static var ofAnyNumber: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return encoder
  }
}

extension JSONDecoder {
  /// A decoder of the output of such an encoder.
  static var ofAnyNumber: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return decoder
  }
}

extension PropertyDescription {
  /// The type of the values if they can be decoded; `nil` for a transformable.
  var decodableType: (any Decodable.Type)? {
    if attribute?.isTransformable == true { return nil }
    return type(of: keyPath).valueType as? any Decodable.Type
  }
}
