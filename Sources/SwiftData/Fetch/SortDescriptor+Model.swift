internal import DepotClient

extension SortDescriptor where Compared: PersistentModel {
  /// Sorts by a truth value, false first.
  public init(_ keyPath: any KeyPath<Compared, Bool> & Sendable, order: SortOrder = .forward) {
    let sorted = \Compared.[sorted: SortedProperty(keyPath)]
    self.init(SortedKeyPaths.keep(sorted, for: keyPath), order: order)
  }

  /// Sorts by a truth value that may be missing, nil first and false before true.
  public init(_ keyPath: any KeyPath<Compared, Bool?> & Sendable, order: SortOrder = .forward) {
    let sorted = \Compared.[sorted: SortedProperty(keyPath)]
    self.init(SortedKeyPaths.keep(sorted, for: keyPath), order: order)
  }

  /// Sorts text in the usual order: without regard to case and marks first, and `9` before `10`.
  ///
  /// With the comparator `.lexical`, text is sorted by its code points.
  public init(_ keyPath: any KeyPath<Compared, String> & Sendable, order: SortOrder = .forward) {
    let sorted = \Compared.[sorted: SortedProperty(keyPath)]
    self.init(SortedKeyPaths.keep(sorted, for: keyPath), order: order)
  }

  /// Sorts optional text in the usual order, nil first.
  ///
  /// With the comparator `.lexical`, text is sorted by its code points.
  public init(_ keyPath: any KeyPath<Compared, String?> & Sendable, order: SortOrder = .forward) {
    let sorted = \Compared.[sorted: SortedProperty(keyPath)]
    self.init(SortedKeyPaths.keep(sorted, for: keyPath), order: order)
  }

  /// Sorts text in the usual order: without regard to case and marks first, and `9` before `10`.
  public init(
    _ keyPath: any KeyPath<Compared, String> & Sendable,
    comparator: LocalizedTextComparator,
    order: SortOrder = .forward
  ) {
    self.init(keyPath, order: order)
  }

  /// Sorts optional text in the usual order, nil first.
  public init(
    _ keyPath: any KeyPath<Compared, String?> & Sendable,
    comparator: LocalizedTextComparator,
    order: SortOrder = .forward
  ) {
    self.init(keyPath, order: order)
  }

  /// Sorts by a property of any type as the initializer for its type does.
  init<Value: Comparable>(
    property keyPath: any KeyPath<Compared, Value> & Sendable,
    order: SortOrder
  ) {
    if let text = keyPath as? KeyPath<Compared, String> {
      self.init(text.shared, order: order)
    } else {
      self.init(keyPath, order: order)
    }
  }

  /// Sorts by a property of any type that may be missing as the initializer for its type does.
  init<Value: Comparable>(
    property keyPath: any KeyPath<Compared, Value?> & Sendable,
    order: SortOrder
  ) {
    if let text = keyPath as? KeyPath<Compared, String?> {
      self.init(text.shared, order: order)
    } else {
      self.init(keyPath, order: order)
    }
  }
}

extension SortDescriptor where Compared: PersistentModel {
  /// Sorts by how well objects match the searches of the predicate, the best first.
  ///
  /// ```swift
  /// FetchDescriptor<Package>(
  ///   predicate: #Predicate { $0.summary.matches(text: "object store") },
  ///   sortBy: [.searchRank]
  /// )
  /// ```
  ///
  /// Only the store knows ranks: unsaved objects follow the objects that are equal in the keys
  /// before. The fetch throws `unsupportedSortDescriptor` if the predicate has no search of a
  /// property that is marked `.spotlight`. Every object must have to satisfy the search, alone or
  /// as one of several alternatives.
  public static var searchRank: SortDescriptor<Compared> {
    SortDescriptor(\Compared.searchRank, order: .reverse)
  }
}

extension PersistentModel {
  /// The rank of the object in the order of a fetch, which the store knows.
  var searchRank: Double { 0 }
}

extension KeyPath {
  /// The key path as a `Sendable` one.
  var shared: any KeyPath<Root, Value> & Sendable {
    // Key paths of properties have nothing that could change.
    unsafeBitCast(self, to: (any KeyPath<Root, Value> & Sendable).self)
  }
}

/// The orders of text that `String.StandardComparator` has on Apple's systems only.
public enum LocalizedTextComparator: Sendable {
  /// The usual order of text for people.
  case localizedStandard
  /// The usual order of text for people, too; it depends on no language.
  case localized
}

extension PersistentModel {
  subscript<Content: SortedContent>(
    sorted property: SortedProperty<Self, Content>
  ) -> Content.Sortable { self[keyPath: property.keyPath].sortable }

  subscript<Content: SortedContent>(
    sorted property: SortedProperty<Self, Content?>
  ) -> Content.Sortable? { self[keyPath: property.keyPath]?.sortable }
}
