internal import DepotClientCore
internal import DepotProtocol
internal import FoundationEssentials
internal import FoundationInternationalization

extension SortKey {
  /// Reads the path, the direction, and the kind of order from a descriptor.
  ///
  /// On Linux, `SortDescriptor(\.name)` compares strings as Swift's `<` does, as the service does;
  /// `SortDescriptor(localized: \.name)` compares them as people expect it.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if it sorts by anything but what the record
  ///   lists.
  init<Model: Record>(lowering descriptor: SortDescriptor<Model>) throws(DepotError) {
    let (property, isLocalized) = try SortedProperty.find(descriptor)
    if let comparator = descriptor.stringComparator, comparator != .lexical {
      throw DepotError(
        .predicate,
        "The service can't sort \(property.path) by the rules of a language."
      ).hint("Use SortDescriptor(localized: \(property.path)).")
    }
    self.init(
      property.path,
      descending: descriptor.order == .reverse,
      localized: isLocalized
    )
  }
}

/// The property by which a descriptor sorts.
enum SortedProperty {
  /// Finds the property, and whether its text is in the order that people expect.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if it isn't one of the record's properties.
  static func find<Model: Record>(
    _ descriptor: SortDescriptor<Model>
  ) throws(DepotError) -> (property: PropertyPath, isLocalized: Bool) {
    guard let keyPath = descriptor.keyPath else {
      throw DepotError(.predicate, "The service can sort \(Model.self) only by its attributes.")
    }
    if let property = PropertyPath(keyPath, of: Model.self) { return (property, false) }
    for known in PropertyPath.all(of: Model.self) {
      guard let wrapped = wrapped(known.keyPath, Model.self), wrapped.keyPath == keyPath else {
        continue
      }
      return (PropertyPath(known), wrapped.isLocalized)
    }
    throw DepotError.unlisted(keyPath, Model.self)
  }

  /// Returns the key path that sorts by what Foundation can't compare at the end of `keyPath`.
  private static func wrapped<Model: Record>(
    _ keyPath: AnyKeyPath,
    _: Model.Type
  ) -> (keyPath: AnyKeyPath, isLocalized: Bool)? {
    switch keyPath {
    case let keyPath as KeyPath<Model, Bool>:
      (\Model.[falseFirst: SortedBy(keyPath: keyPath)], false)
    case let keyPath as KeyPath<Model, Bool?>:
      (\Model.[falseFirst: SortedBy(keyPath: keyPath)], false)
    case let keyPath as KeyPath<Model, String>:
      (\Model.[localized: SortedBy(keyPath: keyPath)], true)
    case let keyPath as KeyPath<Model, String?>:
      (\Model.[localized: SortedBy(keyPath: keyPath)], true)
    default: nil
    }
  }
}
