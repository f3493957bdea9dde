internal import DepotProtocol

/// A key path of a model, and its path in the store.
///
/// Key paths are equal if they lead through the same properties; their descriptions have names only in
/// some builds.
struct ModelPath {
  let path: String
  /// The key paths of one property each, or of a part of one, in their order.
  private let parts: [AnyKeyPath]
  private let property: PropertyDescription?
  /// The description of the key path, if it can't be made itself.
  private let description: String?

  /// The greatest number of properties in a key path.
  private static let depth = 4

  private init(_ path: String, _ parts: [AnyKeyPath], _ property: PropertyDescription? = nil) {
    self.init(path, parts, property, nil)
  }

  private init(
    _ path: String,
    _ parts: [AnyKeyPath],
    _ property: PropertyDescription?,
    _ description: String?
  ) {
    self.path = path
    self.parts = parts
    self.property = property
    self.description = description
  }

  /// Finds the path of a key path, of any length.
  static func find<T: PersistentModel>(_ keyPath: AnyKeyPath, of type: T.Type) -> ModelPath? {
    let description = EntityDescription.of(type)
    if let name = description.propertyName(keyPath) {
      return ModelPath(name, [keyPath], description.property(named: name))
    }
    return all(of: type).first { $0.isPath(of: keyPath) }
  }

  /// The key paths to the stored properties of a model, its structures, and its to-one targets.
  ///
  /// An optional part is there with and without a `!` behind it.
  private static func all<T: PersistentModel>(of type: T.Type) -> some Sequence<ModelPath> {
    sequence(first: steps(of: EntityDescription.of(type))) { $0.flatMap(\.next) }
      .prefix(depth).lazy.flatMap { $0 }
  }

  private static func steps(of description: EntityDescription) -> [ModelPath] {
    first(of: description).flatMap { [$0] + ($0.forced.map { [$0] } ?? []) }
  }

  /// The key paths of the stored properties of a model and of its structures.
  static func first(of description: EntityDescription) -> [ModelPath] {
    description.properties.flatMap { property in
      [ModelPath(property.name, [property.keyPath], property)]
        + (property.codec?.extend(property.keyPath) ?? []).map { keyPath, suffix in
          ModelPath("\(property.name).\(suffix)", [keyPath])
        }
    }
  }

  /// The key path with a `!` behind it, which sorts like the one without: missing values come
  /// first.
  private var forced: ModelPath? {
    guard let type = valueType as? any OptionalType.Type,
      let whole = keyPath.appending(path: type.forced)
    else { return nil }
    return ModelPath(path, [whole], property)
  }

  /// The paths behind a to-one relationship.
  private var next: [ModelPath] {
    guard description == nil, let property, case .toOne(let type, _) = property.kind
    else { return [] }
    let isOptional = valueType is any OptionalType.Type
    return Self.steps(of: EntityDescription.of(type)).map { step in
      var description: String?
      if isOptional {
        // `\.owner?.name` can't be made of `\.owner` and `\.name`, but both have a description.
        let suffix = "\(step.keyPath)".drop { $0 != "." }
        let isWrapped = !(step.valueType is any OptionalType.Type)
        description = "\(keyPath)?\(suffix)\(isWrapped ? "?" : "")"
      }
      return ModelPath("\(path).\(step.path)", parts + step.parts, step.property, description)
    }
  }

  /// The key path, without the `?` in it that only ``description`` has.
  var keyPath: AnyKeyPath {
    // Composed from its end, it equals the key path that the compiler makes of a literal.
    parts.dropLast().reversed().reduce(parts[parts.count - 1]) { rest, part in
      part.appending(path: rest) ?? part
    }
  }

  private var valueType: Any.Type { Swift.type(of: parts[parts.count - 1]).valueType }

  private func isPath(of other: AnyKeyPath) -> Bool {
    if let description { return description == "\(other)" }
    return valueType == Swift.type(of: other).valueType && keyPath == other
  }

  /// Whether the store can compare the values at all.
  var isComparable: Bool { property?.opacity == nil }

  /// Whether the store orders the values as Swift does.
  var isSortedAsStored: Bool {
    var type = valueType
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

extension EntityDescription {
  /// Returns the name of a property by its key path, or by the key path of a subclass.
  func propertyName(_ keyPath: AnyKeyPath) -> String? {
    if let property = property(keyPath) { return property.name }
    let types = Swift.type(of: keyPath)
    if types.valueType == PersistentIdentifier.self { return "$id" }
    // The key paths of an inherited property differ only in the class that they begin with.
    guard parent != nil || types.rootType != type else { return nil }
    let accessor = Self.accessor(keyPath)
    return properties.first { property in
      Swift.type(of: property.keyPath).valueType == types.valueType
        && Self.accessor(property.keyPath) == accessor
    }?.name
  }

  /// Returns the description of a key path without its class.
  private static func accessor(_ keyPath: AnyKeyPath) -> Substring {
    "\(keyPath)".drop { $0 != "." }
  }
}
