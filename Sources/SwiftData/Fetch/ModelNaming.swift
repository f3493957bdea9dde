internal import DepotClient
internal import DepotProtocol
internal import Foundation

/// The names of the properties of model classes in the service.
final class ModelNaming: PropertyNaming {
  /// The entities that were named, by their names.
  private(set) var entities: [String: EntityDescription] = [:]
  /// Whether identifiers were named.
  private(set) var namesIdentifiers = false
  /// The identifiers of the stores that are asked; any if `nil`.
  private let stores: Set<String>?

  init(stores: Set<String>? = nil) { self.stores = stores }

  func step(_ keyPath: AnyKeyPath, from root: Any.Type) throws(DepotError) -> PredicateStep? {
    if let model = root as? any PersistentModel.Type {
      if let name = note(model).propertyName(keyPath) {
        if name == "$id" { namesIdentifiers = true }
        return .name(name)
      }
      throw DepotError(.predicate, "\(keyPath) isn't a stored property of \(root).")
        .hint("Computed and @Transient properties aren't known to the store.")
    }
    if root == PersistentIdentifier.self {
      return keyPath == \PersistentIdentifier.id ? .same : nil
    }
    if let member = Self.member(keyPath, of: root) { return .name(member) }
    if let type = root as? any RawRepresentable.Type, Self.isRawValue(keyPath, of: type) {
      return .same
    }
    return nil
  }

  func entity(of type: Any.Type) -> String? {
    (type as? any PersistentModel.Type).map { note($0).name }
  }

  func isObject(_ type: Any.Type) -> Bool {
    let type = (type as? any OptionalType.Type)?.wrappedType ?? type
    return type is any PersistentModel.Type
  }

  func isToMany(_ type: Any.Type) -> Bool { type is any RelationshipCollection.Type }

  func value(of constant: Any) -> Value? {
    if let model = constant as? any PersistentModel { return mark(model.persistentModelID.id) }
    if let identifier = constant as? PersistentIdentifier { return mark(identifier.id) }
    if let identifier = constant as? PersistentIdentifier.ID { return mark(identifier) }
    return Self.scalar(constant)
  }

  /// Returns a stand-in for an identifier; for an object of another store, a number that no row
  /// has.
  private func mark(_ identifier: PersistentIdentifier.ID) -> Value {
    if let stores, let store = identifier.store, !stores.contains(store) { return .int64(.min) }
    namesIdentifiers = true
    return IdentityComparison.mark(identifier.queryNumber, of: identifier.rootName)
  }

  /// Finishes a translated expression for an entity: identifiers become numbers.
  func finish(_ expression: QueryExpression, of description: EntityDescription) -> QueryExpression {
    guard namesIdentifiers else { return expression }
    var comparison = IdentityComparison(description, entities)
    return comparison.resolve(expression)
  }

  private func note(_ type: any PersistentModel.Type) -> EntityDescription {
    let description = EntityDescription.of(type)
    entities[description.name] = description
    return description
  }

  /// Returns the name of a part of a structure that has columns of its own.
  static func member(_ keyPath: AnyKeyPath, of root: Any.Type) -> String? {
    guard root is any Codable.Type else { return nil }
    func open<Content>(_: Content.Type) -> String? {
      AttributeCodec.of(Content.self, nil).extend(\Content.self).first { $0.0 == keyPath }?.1
    }
    return open(root)
  }

  private static func isRawValue<Content: RawRepresentable>(
    _ keyPath: AnyKeyPath,
    of type: Content.Type
  ) -> Bool {
    Content.isRawValue(keyPath, of: TypeKind.cases(of: type) ?? [])
  }

  /// Returns the stored value of a constant whose type fits one column; `nil` for others.
  private static func scalar(_ constant: Any) -> Value? {
    func open<Content>(_ content: Content) -> Value? {
      guard Content.self is any Codable.Type, !(content is any Collection) else { return nil }
      let codec = AttributeCodec.of(Content.self, nil)
      guard codec.problem == nil, codec.attribute.type.isScalar, codec.attribute.type != .json,
        let values = try? codec.values(content), values.count == 1
      else { return nil }
      return values[0]
    }
    return open(constant)
  }
}

extension PersistentIdentifier.ID {
  /// The number of the row; one that no row has for an object that was never saved.
  var queryNumber: Int64 {
    switch key {
    case .row(let number): number
    case .temporary(let number): -Int64(clamping: number)
    case .custom: 0
    }
  }
}
