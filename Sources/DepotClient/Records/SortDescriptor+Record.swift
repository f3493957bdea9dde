public import DepotClientCore
public import FoundationEssentials
public import FoundationInternationalization

extension SortDescriptor where Compared: Record {
  /// Sorts by a truth value, false first.
  public init(
    _ keyPath: any KeyPath<Compared, Bool> & Sendable,
    order: SortOrder = .forward
  ) {
    let sorted = \Compared.[sorted: SortedProperty(keyPath)]
    self.init(SortedKeyPaths.keep(sorted, for: keyPath), order: order)
  }

  /// Sorts by a truth value that may be missing, nil first and false before true.
  public init(
    _ keyPath: any KeyPath<Compared, Bool?> & Sendable,
    order: SortOrder = .forward
  ) {
    let sorted = \Compared.[sorted: SortedProperty(keyPath)]
    self.init(SortedKeyPaths.keep(sorted, for: keyPath), order: order)
  }

  /// Sorts text as people expect it: without regard to case and marks first, and `9` before `10`.
  ///
  /// It is Foundation's `.localizedStandard`, which Linux lacks.
  public init(
    localized keyPath: any KeyPath<Compared, String> & Sendable,
    order: SortOrder = .forward
  ) {
    let sorted = \Compared.[sorted: SortedProperty(keyPath)]
    self.init(SortedKeyPaths.keep(sorted, for: keyPath), order: order)
  }

  /// Sorts text that may be missing as people expect it, nil first.
  public init(
    localized keyPath: any KeyPath<Compared, String?> & Sendable,
    order: SortOrder = .forward
  ) {
    let sorted = \Compared.[sorted: SortedProperty(keyPath)]
    self.init(SortedKeyPaths.keep(sorted, for: keyPath), order: order)
  }
}

extension Record {
  subscript<Content: SortedContent>(
    sorted property: SortedProperty<Self, Content>
  ) -> Content.Sortable { self[keyPath: property.keyPath].sortable }

  subscript<Content: SortedContent>(
    sorted property: SortedProperty<Self, Content?>
  ) -> Content.Sortable? { self[keyPath: property.keyPath]?.sortable }
}
