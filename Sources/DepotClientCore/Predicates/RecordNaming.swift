internal import DepotProtocol

/// The names that records list.
struct RecordNaming: PropertyNaming {
  func step(
    _ keyPath: AnyKeyPath,
    from root: Any.Type
  ) throws(DepotError) -> PredicateStep? {
    if let type = root as? any RowConvertible.Type {
      if let name = type.propertyName(at: keyPath) { return .name(name) }
      throw DepotError.unlisted(keyPath, root)
    }
    return (root as? any NamedProperties.Type)?.step(keyPath)
  }

  func entity(of type: Any.Type) -> String? { (type as? any Record.Type)?.entity }

  func isObject(_ type: Any.Type) -> Bool {
    type is any Record.Type || type is any Reference.Type
  }

  func isToMany(_ type: Any.Type) -> Bool { type is any ReferenceList.Type }

  func value(of constant: Any) -> Value? {
    (constant as? any Record).flatMap { Self.identifier(of: $0) }
  }

  private static func identifier<Model: Record>(of record: Model) -> Value? {
    let attribute = Model.attributes.all.first { $0.name == "$id" }
    let identifier = attribute.flatMap { record[keyPath: $0.keyPath] as? Identifier<Model> }
    return identifier?.attributeValue
  }
}

/// A type other than a record or composite whose properties are known to the service.
private protocol NamedProperties {
  /// Returns the meaning of a property, or `nil` if it has no name.
  static func step(_ keyPath: AnyKeyPath) -> PredicateStep?
}

extension Related: NamedProperties where Destination: Record {
  fileprivate static func step(_ keyPath: AnyKeyPath) -> PredicateStep? {
    switch keyPath {
    case \Related.id: .name("$id")
    case \Related.record: .same
    default: (Destination.attributes[member: keyPath]?.name).map(PredicateStep.name)
    }
  }
}

extension Identifier: NamedProperties where Model: Record {
  fileprivate static func step(_ keyPath: AnyKeyPath) -> PredicateStep? {
    keyPath == \Identifier.value ? .same : nil
  }
}

/// The type of a to-many relationship as a property.
private protocol ReferenceList {}

extension Array: ReferenceList where Element: Reference {}
