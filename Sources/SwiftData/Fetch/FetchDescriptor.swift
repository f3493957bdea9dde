internal import DepotClient

/// A description of the wanted objects of a class, and of their order.
public struct FetchDescriptor<T: PersistentModel>: Sendable {
  /// The condition that the objects must satisfy; all objects if `nil`.
  public var predicate: Predicate<T>?
  /// How they are sorted, the most important first; in the order of their identifiers if empty.
  public var sortBy: [SortDescriptor<T>]
  /// How many objects are wanted at most.
  public var fetchLimit: Int?
  /// How many objects to leave out at the beginning.
  public var fetchOffset: Int?
  /// Whether changes of the context that aren't saved count.
  public var includePendingChanges = true
  /// The ``propertiesToFetch``.
  var wanted: [KnownKeyPath<PartialKeyPath<T>>] = []
  /// The ``relationshipKeyPathsForPrefetching``.
  var prefetched: [KnownKeyPath<PartialKeyPath<T>>] = []

  /// Describes objects.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }

  /// The properties to read at once; all if empty, and the others when they are used.
  public var propertiesToFetch: [PartialKeyPath<T>] {
    get { wanted.map(\.keyPath) }
    set { wanted = newValue.map(KnownKeyPath.init) }
  }

  /// The relationships whose objects are prefetched.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] {
    get { prefetched.map(\.keyPath) }
    set { prefetched = newValue.map(KnownKeyPath.init) }
  }
}

extension FetchDescriptor: Equatable {
  /// Predicates are equal if they ask the store for the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.sortBy == right.sortBy && left.fetchLimit == right.fetchLimit
      && left.fetchOffset == right.fetchOffset
      && left.includePendingChanges == right.includePendingChanges
      && left.wanted == right.wanted && left.prefetched == right.prefetched
      && haveEqualPredicates(left.predicate, right.predicate)
  }

  private static func haveEqualPredicates(_ left: Predicate<T>?, _ right: Predicate<T>?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    guard let first = try? ModelQuery.expression(left),
      let second = try? ModelQuery.expression(right)
    else { return false }
    return first == second
  }
}

extension FetchDescriptor {
  /// Returns the part of a list within offset and limit.
  func cut<Element>(_ list: [Element]) -> [Element] {
    let rest = list.dropFirst(max(0, fetchOffset ?? 0))
    return Array(fetchLimit.map { rest.prefix(max(0, $0)) } ?? rest)
  }

  /// Checks limit and offset.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` if one is negative.
  func checkRange() throws {
    for (name, value) in [("fetchLimit", fetchLimit), ("fetchOffset", fetchOffset)] {
      guard let value, value < 0 else { continue }
      throw SwiftDataError(
        .storeFailure,
        "\(name) must be from 0 on, not \(value).",
        entity: EntityDescription.of(T.self).name
      )
    }
  }
}
