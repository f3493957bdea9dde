internal import DepotClient
internal import DepotProtocol
internal import Foundation
internal import Synchronization

/// The path by which a sort descriptor sorts.
struct SortedPath {
  let path: String
  let isLocalized: Bool

  /// Finds the property; `nil` if the service can't sort like the descriptor.
  static func find<T: PersistentModel>(_ descriptor: SortDescriptor<T>) -> SortedPath? {
    guard let keyPath = descriptor.keyPath else { return nil }
    if let comparator = descriptor.stringComparator, comparator != .lexical { return nil }
    let key = KnownKeyPath(keyPath: keyPath)
    if let path = known.withLock({ $0[key] }) { return path }
    let path = search(keyPath, T.self)
    known.withLock { $0[key] = .some(path) }
    return path
  }

  /// The paths that were found for key paths.
  private static let known = Mutex<[KnownKeyPath: SortedPath?]>([:])

  private static func search<T: PersistentModel>(_ keyPath: AnyKeyPath, _: T.Type) -> SortedPath? {
    if let property = SortedKeyPaths.property(keyPath) {
      return ModelPath.find(property.keyPath, of: T.self).map {
        SortedPath(path: $0.path, isLocalized: property.isLocalized)
      }
    }
    guard let known = ModelPath.find(keyPath, of: T.self), known.isSortedAsStored else {
      return nil
    }
    return SortedPath(path: known.path, isLocalized: false)
  }
}

/// A key path of a model, and its path in the store.
struct ModelPath {
  let keyPath: AnyKeyPath
  let path: String
  private let property: PropertyDescription?
  /// The description of the key path, if it can't be made itself.
  private let description: String?

  /// How many properties a key path may have.
  private static let depth = 4

  /// Finds the path of a key path, of any length.
  static func find<T: PersistentModel>(_ keyPath: AnyKeyPath, of type: T.Type) -> ModelPath? {
    let description = EntityDescription.of(type)
    if let name = description.propertyName(keyPath) {
      return ModelPath(
        keyPath: keyPath,
        path: name,
        property: description.property(named: name),
        description: nil
      )
    }
    return all(of: type).first { $0.description == "\(keyPath)" || $0.keyPath == keyPath }
  }

  /// The key paths of the stored properties of a model, of those of its structures, and of what its
  /// to-one relationships lead to.
  static func all<T: PersistentModel>(of type: T.Type) -> some Sequence<ModelPath> {
    sequence(first: first(of: EntityDescription.of(type))) { $0.flatMap(\.next) }
      .prefix(depth).lazy.flatMap { $0 }
  }

  /// The key paths of the stored properties of a model, and of those of its structures.
  static func first(of description: EntityDescription) -> [ModelPath] {
    description.properties.flatMap { property in
      [
        ModelPath(
          keyPath: property.keyPath,
          path: property.name,
          property: property,
          description: nil
        )
      ]
        + (property.codec?.extend(property.keyPath) ?? []).map { keyPath, suffix in
          ModelPath(
            keyPath: keyPath,
            path: "\(property.name).\(suffix)",
            property: nil,
            description: nil
          )
        }
    }
  }

  /// The paths behind a to-one relationship.
  private var next: [ModelPath] {
    guard description == nil, let property, case .toOne(let type, let isOptional) = property.kind
    else { return [] }
    return Self.first(of: EntityDescription.of(type)).compactMap { step in
      if isOptional {
        // `\.owner?.name` can't be made of `\.owner` and `\.name`, but both have a description.
        let suffix = "\(step.keyPath)".drop { $0 != "." }
        let isWrapped = !(Swift.type(of: step.keyPath).valueType is any OptionalType.Type)
        return ModelPath(
          keyPath: step.keyPath,
          path: "\(path).\(step.path)",
          property: step.property,
          description: "\(keyPath)?\(suffix)\(isWrapped ? "?" : "")"
        )
      }
      return keyPath.appending(path: step.keyPath).map { whole in
        ModelPath(
          keyPath: whole,
          path: "\(path).\(step.path)",
          property: step.property,
          description: nil
        )
      }
    }
  }

  /// Whether the store's order of the values is that of Swift.
  var isSortedAsStored: Bool {
    var type = Swift.type(of: keyPath).valueType
    if let wrapped = (type as? any OptionalType.Type)?.wrappedType { type = wrapped }
    if type is any AttributeValue.Type { return !(type is any RawRepresentable.Type) }
    if type == PersistentIdentifier.self { return true }
    guard let type = type as? any (Comparable & RawRepresentable).Type else { return false }
    return Self.isOrderOfRawValues(type)
  }

  /// Whether an enumeration is in the order of its raw values.
  private static func isOrderOfRawValues<Content: Comparable & RawRepresentable>(
    _ type: Content.Type
  ) -> Bool {
    guard let cases = TypeKind.cases(of: type) else { return false }
    return cases.allSatisfy { left in
      cases.allSatisfy { right in
        guard let first = left.rawValue as? any AttributeValue,
          let second = right.rawValue as? any AttributeValue,
          let order = first.attributeValue.order(second.attributeValue)
        else { return false }
        return (left < right) == (order < 0)
      }
    }
  }
}
