/// A decoder of a structure that finds its parts by their names.
final class PartsDecoder: Decoder {
  /// Returns the part of a name; `nil` if there is none.
  private let part: (any Decodable.Type, String) throws -> Any?
  private let names: Set<String>?
  /// The parts whose presence the structure asked about.
  private(set) var doubted: Set<String> = []

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// - Parameters:
  ///   - names: The parts that there are; of any name if `nil`.
  ///   - part: Returns one of them.
  init(_ names: Set<String>?, _ part: @escaping (any Decodable.Type, String) throws -> Any?) {
    self.names = names
    self.part = part
  }

  func container<Name: CodingKey>(keyedBy: Name.Type) -> KeyedDecodingContainer<Name> {
    KeyedDecodingContainer(Members<Name>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw unfit }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw unfit }

  private var unfit: DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "It is an object of plain parts."))
  }

  private func contains(_ name: String) -> Bool {
    doubted.insert(name)
    return names?.contains(name) ?? true
  }

  private struct Members<Name: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: PartsDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Name] { decoder.names?.sorted().compactMap { Name(stringValue: $0) } ?? [] }

    func contains(_ key: Name) -> Bool { decoder.contains(key.stringValue) }
    func decodeNil(forKey key: Name) -> Bool { !decoder.contains(key.stringValue) }
    func decode<Content: Decodable>(_ type: Content.Type, forKey key: Name) throws -> Content {
      let name = key.stringValue
      guard decoder.names?.contains(name) != false, let value = try decoder.part(type, name) else {
        if let none = (type as? any OptionalType.Type)?.none as? Content { return none }
        throw DecodingError.keyNotFound(
          key,
          .init(codingPath: [], debugDescription: "There is no part \"\(name)\".")
        )
      }
      if isExactly(value, type) { return reinterpreted(value, as: type) }
      guard let content = value as? Content else {
        throw DecodingError.typeMismatch(
          type,
          .init(codingPath: [key], debugDescription: "It is a \(Swift.type(of: value)).")
        )
      }
      return content
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy: Nested.Type,
      forKey key: Name
    ) throws -> KeyedDecodingContainer<Nested> { throw decoder.unfit }
    func nestedUnkeyedContainer(forKey key: Name) throws -> any UnkeyedDecodingContainer {
      throw decoder.unfit
    }
    func superDecoder() throws -> any Decoder { throw decoder.unfit }
    func superDecoder(forKey key: Name) throws -> any Decoder { throw decoder.unfit }
  }
}
