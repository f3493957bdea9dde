internal import DepotProtocol
internal import FoundationEssentials

/// A decoder of one row, or of a composite in it, whose keys are the names of its columns.
///
/// It is valid only while the frame of the row is being read.
struct RowDecoder: Decoder {
  fileprivate let columns: RowColumns
  fileprivate let fields: [RowField]
  /// The row's identifier and version, by their keys.
  fileprivate let identity: [String: Int64]
  /// The beginning of the columns' names.
  fileprivate var prefix = ""
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  /// Reads all values of a row whose identity was read.
  init(_ row: inout RowReader, columns: RowColumns) throws(DepotError) {
    self.columns = columns
    var fields: [RowField] = []
    fields.reserveCapacity(columns.positions.count)
    while !row.isAtEndOfRow() { fields.append(try row.field()) }
    self.fields = fields
    identity = ["$id": row.identifier, "$version": row.version]
  }

  /// Returns the decoder of the composite named `name`.
  fileprivate func part(_ name: String) -> RowDecoder {
    var part = self
    part.prefix = name + "."
    return part
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowContainer(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw DepotError.nested(codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw DepotError(.type, "A row is decoded by its keys, not as a single value.")
  }
}

/// The values of a row by their keys.
private struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RowDecoder
  let codingPath: [any CodingKey] = []

  var allKeys: [Key] {
    let names = decoder.columns.positions.keys.filter { $0.hasPrefix(decoder.prefix) }
      .map { $0.dropFirst(decoder.prefix.count).prefix { $0 != "." } }
    return Set(names).compactMap { Key(stringValue: String($0)) }
  }

  /// The whole name of the column for a key.
  private func column(_ key: Key) -> String { decoder.prefix + key.stringValue }

  func contains(_ key: Key) -> Bool {
    let column = column(key)
    return decoder.columns.positions[column] != nil || decoder.columns.composites.contains(column)
      || decoder.identity[column] != nil
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    let column = column(key)
    if decoder.identity[column] != nil { return false }
    guard decoder.columns.composites.contains(column) else { return try field(key).field.isNull }
    // An optional composite has a column of its own name that says whether it is there.
    guard decoder.columns.positions[column] != nil else { return false }
    return try field(key).field.bool != true
  }

  func decode<Content: Decodable>(_ type: Content.Type, forKey key: Key) throws -> Content {
    let column = column(key)
    if let number = decoder.identity[column] {
      let integer = type as? any FixedWidthInteger.Type
      if let content = integer?.exactly(number) as? Content { return content }
      if let content = (type as? any NumberedIdentifier.Type)?.numbered(number) as? Content {
        return content
      }
      throw DepotError(.type, "\"\(key.stringValue)\" is an Int64, not a \(type).")
    }
    if decoder.columns.composites.contains(column) {
      return try type.init(from: decoder.part(column))
    }
    return try field(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    guard decoder.columns.composites.contains(column(key)) else { throw DepotError.nested([key]) }
    return decoder.part(column(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw DepotError.nested([key])
  }

  func superDecoder() throws -> any Decoder { throw DepotError.nested(codingPath) }

  func superDecoder(forKey key: Key) throws -> any Decoder { throw DepotError.nested([key]) }

  private func field(_ key: Key) throws -> FieldDecoder {
    guard let index = decoder.columns.positions[column(key)], index < decoder.fields.count else {
      throw DecodingError.keyNotFound(
        key,
        .init(codingPath: [], debugDescription: "The row has no \"\(column(key))\".")
      )
    }
    return FieldDecoder(field: decoder.fields[index], codingPath: [key])
  }
}

/// The identifier of a row of any entity.
private protocol NumberedIdentifier {
  static func numbered(_ number: Int64) -> Any
}

extension Identifier: NumberedIdentifier {
  fileprivate static func numbered(_ number: Int64) -> Any { Identifier(number) }
}
