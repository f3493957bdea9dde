internal import DepotProtocol
public import Foundation

/// Aggregates of many objects, which the store computes without sending the objects.
///
/// Changes that aren't saved don't count.
extension ModelContext {
  /// Returns the sum of an attribute; 0 of no objects.
  ///
  /// - Throws: ``SwiftDataError`` `unsupportedPredicate`, `unsupportedKeyPath`, and others.
  public final func sum<T: PersistentModel, Value: AggregateNumber>(
    of keyPath: KeyPath<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Value {
    try ContextAggregates(self, predicate).value(.sum, of: keyPath) ?? .zero
  }

  /// Returns the mean of an attribute; `nil` of no objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func average<T: PersistentModel, Value: AggregateNumber>(
    of keyPath: KeyPath<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Double? {
    try ContextAggregates(self, predicate).value(.average, of: keyPath)
  }

  /// Returns the least value of an attribute; `nil` of no objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func minimum<T: PersistentModel, Value: AggregateNumber>(
    of keyPath: KeyPath<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try ContextAggregates(self, predicate).value(.min, of: keyPath)
  }

  /// Returns the greatest value of an attribute; `nil` of no objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func maximum<T: PersistentModel, Value: AggregateNumber>(
    of keyPath: KeyPath<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try ContextAggregates(self, predicate).value(.max, of: keyPath)
  }

  /// Returns how many objects have each value of an attribute.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func count<T: PersistentModel, Key: Hashable>(
    by keyPath: KeyPath<T, Key>,
    where predicate: Predicate<T>? = nil
  ) throws -> [Key: Int] {
    let groups = try ContextAggregates(self, predicate).counts(by: keyPath)
    var counts: [Key: Int] = [:]
    for (key, values) in groups {
      guard let key = key as? Key, case .int64(let count)? = values.first else { continue }
      counts[key, default: 0] += Int(count)
    }
    return counts
  }

  /// Returns the sum of an attribute over the objects that have each value of another one.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func sum<T: PersistentModel, Key: Hashable, Value: AggregateNumber>(
    of keyPath: KeyPath<T, Value>,
    by group: KeyPath<T, Key>,
    where predicate: Predicate<T>? = nil
  ) throws -> [Key: Value] {
    let groups = try ContextAggregates(self, predicate)
      .sums(of: keyPath, Value.attributeType, by: group)
    var sums: [Key: Value] = [:]
    for (key, values) in groups {
      guard let key = key as? Key else { continue }
      sums[key, default: .zero] += values.first.flatMap { Value(aggregate: $0) } ?? .zero
    }
    return sums
  }

  // MARK: - Of expressions

  /// Returns the sum of an expression's values; 0 without objects.
  ///
  /// - Throws: ``SwiftDataError`` `unsupportedPredicate` if the store can't compute the expression,
  ///   and as `sum(of:where:)` of a key path does.
  public final func sum<T: PersistentModel, Value: AggregateNumber>(
    of expression: Foundation.Expression<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Value {
    try ContextAggregates(self, predicate).value(.sum, of: ModelQuery.value(expression)) ?? .zero
  }

  /// Returns the mean of an expression's values; `nil` without objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func average<T: PersistentModel, Value: AggregateNumber>(
    of expression: Foundation.Expression<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Double? {
    try ContextAggregates(self, predicate).value(.average, of: ModelQuery.value(expression))
  }

  /// Returns the least of an expression's values; `nil` without objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func minimum<T: PersistentModel, Value: AggregateNumber>(
    of expression: Foundation.Expression<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try ContextAggregates(self, predicate).value(.min, of: ModelQuery.value(expression))
  }

  /// Returns the greatest of an expression's values; `nil` without objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func maximum<T: PersistentModel, Value: AggregateNumber>(
    of expression: Foundation.Expression<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try ContextAggregates(self, predicate).value(.max, of: ModelQuery.value(expression))
  }
}
