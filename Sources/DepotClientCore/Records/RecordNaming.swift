internal import DepotProtocol

/// The names that records list.
struct RecordNaming: PropertyNaming {
  func step(
    _ keyPath: AnyKeyPath,
    from root: Any.Type
  ) throws(DepotError) -> PredicateStep? {
    if let type = root as? any RowConvertible.Type {
      if let name = Self.attribute(keyPath, of: type) { return .name(name) }
      throw DepotError.unlisted(keyPath, root)
    }
    guard let type = root as? any NamedProperties.Type, let name = type.name(of: keyPath) else {
      return nil
    }
    return name.isEmpty ? .same : .name(name)
  }

  func entity(of type: Any.Type) -> String? { (type as? any Record.Type)?.entity }

  func isObject(_ type: Any.Type) -> Bool {
    type is any Record.Type || type is any Reference.Type
  }

  func isToMany(_ type: Any.Type) -> Bool { type is any ReferenceList.Type }

  func value(of constant: Any) -> Value? {
    (constant as? any Record).flatMap { Self.identifier(of: $0) }
  }

  private static func attribute<Content: RowConvertible>(
    _ keyPath: AnyKeyPath,
    of type: Content.Type
  ) -> String? {
    Content.attributes[keyPath]?.name
  }

  private static func identifier<Model: Record>(of record: Model) -> Value? {
    let attribute = Model.attributes.all.first { $0.name == "$id" }
    let identifier = attribute.flatMap { record[keyPath: $0.keyPath] as? Identifier<Model> }
    return identifier?.attributeValue
  }
}

/// A type other than a record or composite whose properties are known to the service.
private protocol NamedProperties {
  /// Returns the name of a property: empty if it is the same thing, `nil` if it has none.
  static func name(of keyPath: AnyKeyPath) -> String?
}

extension Related: NamedProperties where Destination: Record {
  fileprivate static func name(of keyPath: AnyKeyPath) -> String? {
    switch keyPath {
    case \Related.id: "$id"
    case \Related.record: ""
    default: Destination.attributes[member: keyPath]?.name
    }
  }
}

extension Identifier: NamedProperties where Model: Record {
  fileprivate static func name(of keyPath: AnyKeyPath) -> String? {
    keyPath == \Identifier.value ? "" : nil
  }
}

/// The type of a to-many relationship as a property.
private protocol ReferenceList {}

extension Array: ReferenceList where Element: Reference {}
