internal import DepotProtocol
internal import Foundation

extension DefaultSnapshot {
  /// Reads a snapshot.
  ///
  /// - Throws: The decoder's error if there is no identifier, or a value isn't of the property's type.
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
  /// - Throws: The encoder's error if it can't write a value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    let description = EntityDescription.named(
      persistentIdentifier.entityName,
      with: Set(values.keys)
    )
    for (name, value) in values {
      try container.encode(value, .modeledProperty(name), description?.property(named: name))
    }
  }
}

extension KeyedDecodingContainer<DataStoreSnapshotCodingKey> {
  /// Reads the value of a property, whose type may have been another in the version that wrote it.
  fileprivate func value(
    of property: PropertyDescription,
    _ key: DataStoreSnapshotCodingKey
  ) throws -> HeldValue {
    do {
      if let codec = property.codec, property.decodableType == nil {
        return .attribute(
          try codec.value(of: decode([String].self, forKey: key).map { Array($0.utf8) })
        )
      }
      return try held(property, key)
    } catch {
      guard property.destination != nil else { throw error }
      return .tree(try decode(CodedTree.self, forKey: key))
    }
  }

  /// Reads the value of a property of just its type.
  func held(
    _ property: PropertyDescription,
    _ key: DataStoreSnapshotCodingKey
  ) throws -> HeldValue {
    switch property.kind {
    case .toOne: return .one(try decodeIfPresent(PersistentIdentifier.self, forKey: key))
    case .toMany: return .many(try decodeIfPresent([PersistentIdentifier].self, forKey: key))
    case .attribute:
      guard let type = type(of: property.keyPath).valueType as? any Decodable.Type else {
        throw DecodingError.dataCorruptedError(
          forKey: key,
          in: self,
          debugDescription: "\(property.qualifiedName) isn't Decodable."
        )
      }
      return .attribute(try decode(type, forKey: key))
    }
  }
}

extension KeyedEncodingContainer<DataStoreSnapshotCodingKey> {
  /// Writes the value of a property; one without a description is written as it is.
  mutating func encode(
    _ value: HeldValue,
    _ key: DataStoreSnapshotCodingKey,
    _ property: PropertyDescription? = nil
  ) throws {
    switch value {
    case .one(let target): try encode(target, forKey: key)
    case .many(let targets): try encode(targets, forKey: key)
    case .tree(let tree): try encode(tree, forKey: key)
    case .attribute(let value):
      if let property, property.decodableType == nil, let codec = property.codec {
        return try encode(codec.texts(of: value), forKey: key)
      }
      try encode(content: value, forKey: key)
    }
  }

  private mutating func encode(content value: Any, forKey key: DataStoreSnapshotCodingKey) throws {
    guard let content = value as? any Encodable else {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: codingPath + [key],
          debugDescription: "It isn't Encodable."
        )
      )
    }
    try encode(content, forKey: key)
  }
}

extension PropertyDescription {
  /// The name of the property in older versions.
  var originalName: String? {
    let name = attribute?.originalName ?? relationship?.originalName ?? ""
    return name.isEmpty ? nil : name
  }
}
