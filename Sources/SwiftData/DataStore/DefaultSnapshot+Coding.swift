internal import DepotProtocol
internal import Foundation

extension DefaultSnapshot {
  /// Reads a snapshot.
  ///
  /// - Throws: What the decoder throws if there is no identifier, or a value isn't of the property's type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    let identifier = try container.decode(
      PersistentIdentifier.self,
      forKey: .persistentIdentifier
    )
    var values: [String: HeldValue] = [:]
    var keys = Set(container.allKeys)
    keys.remove(.persistentIdentifier)
    let names = Set(keys.map(\.stringValue))
    for property in EntityDescription.named(identifier.entityName, with: names)?.properties ?? [] {
      let key = [property.name, property.originalName].compactMap { $0 }
        .map(DataStoreSnapshotCodingKey.modeledProperty)
        .first(where: keys.contains)
      guard let key else { continue }
      keys.remove(key)
      values[property.name] = try container.value(of: property, key)
    }
    for key in keys {
      values[key.stringValue] = .tree(try container.decode(CodedTree.self, forKey: key))
    }
    self.init(identifier, values)
  }

  /// Writes the snapshot.
  ///
  /// - Throws: What the encoder throws if it can't write a value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    let description = EntityDescription.named(
      persistentIdentifier.entityName,
      with: Set(values.keys)
    )
    for (name, value) in values {
      let key = DataStoreSnapshotCodingKey.modeledProperty(name)
      switch value {
      case .one(let target): try container.encode(target, forKey: key)
      case .many(let targets): try container.encode(targets, forKey: key)
      case .tree(let tree): try container.encode(tree, forKey: key)
      case .attribute(let value):
        let property = description?.property(named: name)
        try container.encode(value, key, property)
      }
    }
  }
}

extension KeyedDecodingContainer<DataStoreSnapshotCodingKey> {
  fileprivate func value(
    of property: PropertyDescription,
    _ key: DataStoreSnapshotCodingKey
  ) throws -> HeldValue {
    switch property.kind {
    case .toOne:
      do {
        return .one(try decodeIfPresent(PersistentIdentifier.self, forKey: key))
      } catch {
        return .tree(try decode(CodedTree.self, forKey: key))
      }
    case .toMany:
      do {
        return .many(try decodeIfPresent([PersistentIdentifier].self, forKey: key))
      } catch {
        return .tree(try decode(CodedTree.self, forKey: key))
      }
    case .attribute(let codec):
      func decode<Content: Decodable>(_: Content.Type) throws -> Any {
        try self.decode(Content.self, forKey: key)
      }
      if let type = property.decodableType { return .attribute(try decode(type)) }
      return .attribute(try codec.value(of: self.decode([String].self, forKey: key)))
    }
  }
}

extension KeyedEncodingContainer<DataStoreSnapshotCodingKey> {
  fileprivate mutating func encode(
    _ value: Any,
    _ key: DataStoreSnapshotCodingKey,
    _ property: PropertyDescription?
  ) throws {
    if let property, property.decodableType == nil, let codec = property.codec {
      return try encode(codec.texts(of: value), forKey: key)
    }
    guard let content = value as? any Encodable else {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: codingPath + [key],
          debugDescription: "It isn't Encodable."
        )
      )
    }
    try encode(EncodableBox(content: content), forKey: key)
  }
}

/// Values that can't encode themselves, as texts of their columns.
extension AttributeCodec {
  fileprivate func texts(of value: Any) throws -> [String] {
    try values(value).map { value in
      var writer = JSONWriter()
      writer.write(value)
      return String(decoding: writer.bytes, as: UTF8.self)
    }
  }

  fileprivate func value(of texts: [String]) throws -> Any {
    let bytes = Array("[[\(texts.joined(separator: ","))]]".utf8)
    return try bytes.withUnsafeBufferPointer { bytes -> Any in
      var reader = try RowReader(bytes)
      _ = try reader.beginRow()
      let value = try read(&reader)
      try reader.endRow()
      return value
    }
  }
}

extension PropertyDescription {
  /// What the property was called in older versions.
  var originalName: String? {
    let name = attribute?.originalName ?? relationship?.originalName ?? ""
    return name.isEmpty ? nil : name
  }
}
