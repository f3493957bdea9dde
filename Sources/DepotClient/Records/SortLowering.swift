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
  /// - Throws: ``DepotError`` `request.predicate` if it doesn't sort by a property that the record
  ///   lists.
  init<Model: Record>(lowering descriptor: SortDescriptor<Model>) throws(DepotError) {
    let (property, isLocalized) = try Self.property(descriptor)
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

  /// Finds the property by which a descriptor sorts, and whether its text is in the order that people
  /// expect.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if it isn't one of the record's properties.
  static func property<Model: Record>(
    _ descriptor: SortDescriptor<Model>
  ) throws(DepotError) -> (property: PropertyPath, isLocalized: Bool) {
    guard let keyPath = descriptor.keyPath else {
      throw DepotError(.predicate, "The service can sort \(Model.self) only by its attributes.")
    }
    let sorted = SortedKeyPaths.property(keyPath)
    return (try Model.property(sorted?.keyPath ?? keyPath), sorted?.isLocalized ?? false)
  }
}
