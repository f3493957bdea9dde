internal import FoundationEssentials

/// A `Codable` type whose values are stored as JSON; the service can't query their contents.
///
/// Declare the conformance, and nothing else: `struct Settings: JSONAttributeValue { … }`.
public protocol JSONAttributeValue: AttributeValue, Codable {}

extension JSONAttributeValue {
  public static var attributeType: AttributeType { .json }
  public static func read(from row: inout RowReader) throws(DepotError) -> Self {
    try row.decodeJSON(Self.self)
  }
  public var attributeValue: Value { JSONCoding.value(self) }
}

extension Dictionary: AttributeValue where Key == String, Value: AttributeValue & Codable {
  public static var attributeType: AttributeType { .json }
  public static func read(from row: inout RowReader) throws(DepotError) -> [String: Value] {
    try row.decodeJSON([String: Value].self)
  }
  public var attributeValue: DepotProtocol.Value { JSONCoding.value(self) }
}

extension RowReader {
  fileprivate mutating func decodeJSON<Content: Decodable>(
    _ type: Content.Type
  ) throws(DepotError) -> Content {
    try JSONCoding.decode(type, try text())
  }
}

/// How `Codable` values become JSON and back.
package enum JSONCoding {
  private static let nonFinite = (infinity: "Infinity", negative: "-Infinity", nan: "NaN")

  /// Returns the JSON of `content`, the members of objects in the order of their names.
  ///
  /// A value that refuses to be encoded becomes a ``RefusedValue``.
  package static func value<Content: Encodable>(_ content: Content) -> Value {
    do {
      return try encode(content)
    } catch {
      return RefusedValue.value("A \(Content.self) can't be encoded as JSON: \(error)")
    }
  }

  /// Returns the JSON of `content`, the members of objects in the order of their names.
  ///
  /// - Throws: The error of `content` if it refuses to be encoded.
  package static func encode(_ content: some Encodable) throws -> Value {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: nonFinite.infinity,
      negativeInfinity: nonFinite.negative,
      nan: nonFinite.nan
    )
    return .json(String(decoding: try encoder.encode(content), as: UTF8.self))
  }

  /// Reads a value from its JSON.
  ///
  /// - Throws: ``DepotError`` `request.type` if it isn't a `Content`.
  package static func decode<Content: Decodable>(
    _ type: Content.Type,
    _ text: UnsafeBufferPointer<UInt8>
  ) throws(DepotError) -> Content {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: nonFinite.infinity,
      negativeInfinity: nonFinite.negative,
      nan: nonFinite.nan
    )
    do {
      return try decoder.decode(type, from: Data(text))
    } catch {
      throw DepotError(.type, "The JSON isn't a \(type): \(error)")
    }
  }
}
