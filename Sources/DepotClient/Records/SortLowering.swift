internal import DepotProtocol
internal import FoundationEssentials
internal import FoundationInternationalization

extension SortKey {
  /// Reads the attribute and the direction from a descriptor.
  ///
  /// On Linux, `SortDescriptor(\.name)` compares strings as Swift's `<` does, as the service does.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if it sorts by anything but an attribute, or
  ///   strings by the rules of a language.
  init<Model: Record>(lowering descriptor: SortDescriptor<Model>) throws(DepotError) {
    guard let keyPath = descriptor.keyPath else {
      throw DepotError(.predicate, "The service can sort \(Model.self) only by its attributes.")
    }
    let name = try Model.attributeName(of: keyPath)
    if let comparator = descriptor.stringComparator, comparator != .lexical {
      throw DepotError(.predicate, "The service can't sort \(name) by the rules of a language.")
        .hint("Use SortDescriptor(\(keyPath.shortDescription), comparator: .lexical).")
    }
    self.init(name, descending: descriptor.order == .reverse)
  }
}
