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
    try aggregated(.sum, path(keyPath), predicate) ?? .zero
  }

  /// Returns the mean of an attribute; `nil` of no objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func average<T: PersistentModel, Value: AggregateNumber>(
    of keyPath: KeyPath<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Double? {
    try aggregated(.average, path(keyPath), predicate)
  }

  /// Returns the least value of an attribute; `nil` of no objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func minimum<T: PersistentModel, Value: AggregateNumber>(
    of keyPath: KeyPath<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try aggregated(.min, path(keyPath), predicate)
  }

  /// Returns the greatest value of an attribute; `nil` of no objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func maximum<T: PersistentModel, Value: AggregateNumber>(
    of keyPath: KeyPath<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try aggregated(.max, path(keyPath), predicate)
  }

  /// Returns how many objects have each value of an attribute.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func count<T: PersistentModel, Key: Hashable>(
    by keyPath: KeyPath<T, Key>,
    where predicate: Predicate<T>? = nil
  ) throws -> [Key: Int] {
    let property = try attribute(keyPath)
    let groups = try grouped(property, [(.count, nil)], [.int64], predicate)
    var counts: [Key: Int] = [:]
    for (key, values) in groups {
      guard let key = key as? Key, case .int64(let count)? = values.first else { continue }
      counts[key] = Int(count)
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
    let groups = try grouped(
      attribute(group),
      [(.sum, path(keyPath))],
      [Value.attributeType],
      predicate
    )
    var sums: [Key: Value] = [:]
    for (key, values) in groups {
      guard let key = key as? Key else { continue }
      sums[key] = values.first.flatMap { Value(aggregate: $0) } ?? .zero
    }
    return sums
  }

  private func aggregated<T: PersistentModel, Result: AggregateNumber>(
    _ function: QueryExpression.Aggregate,
    _ value: QueryExpression,
    _ predicate: Predicate<T>?
  ) throws -> Result? {
    try prepare()
    let fetch = try ContextFetch(self, FetchDescriptor(predicate: predicate))
    let groups = try using {
      try fetch.store.aggregate(
        StoreAggregation(
          query: fetch.exactQuery(),
          keys: [],
          values: [(function, value)],
          types: [Result.attributeType]
        ),
        in: self
      )
    }
    return groups.first?.first.flatMap { Result(aggregate: $0) }
  }

  private func grouped<T: PersistentModel>(
    _ key: PropertyDescription,
    _ values: [(QueryExpression.Aggregate, QueryExpression?)],
    _ types: [AttributeType],
    _ predicate: Predicate<T>?
  ) throws -> [(key: Any, values: [DepotProtocol.Value])] {
    try prepare()
    let fetch = try ContextFetch(self, FetchDescriptor(predicate: predicate))
    guard let codec = key.codec, codec.suffixes == [""] else {
      throw SwiftDataError.unsupportedKeyPath.about(nil, key.name)
    }
    let groups = try using {
      try fetch.store.aggregate(
        StoreAggregation(
          query: fetch.exactQuery(),
          keys: [.attribute(key.name)],
          values: values,
          types: [codec.attribute.type] + types
        ),
        in: self
      )
    }
    return try groups.map { group in
      (try codec.value(of: [group[0].jsonText]), Array(group.dropFirst()))
    }
  }

  private func path<T: PersistentModel>(_ keyPath: PartialKeyPath<T>) throws -> QueryExpression {
    .attribute(try attribute(keyPath).name)
  }

  private func attribute<T: PersistentModel>(
    _ keyPath: PartialKeyPath<T>
  ) throws -> PropertyDescription {
    let description = EntityDescription.of(T.self)
    if let property = description.property(keyPath), property.codec != nil { return property }
    throw SwiftDataError.unsupportedKeyPath.about(description.name)
  }
}

// MARK: - Of expressions

extension ModelContext {
  /// Returns the sum of an expression's values; 0 without objects.
  ///
  /// - Throws: ``SwiftDataError`` `unsupportedPredicate` if the store can't compute the expression,
  ///   and as `sum(of:where:)` of a key path does.
  public final func sum<T: PersistentModel, Value: AggregateNumber>(
    of expression: Foundation.Expression<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Value {
    try aggregated(.sum, ModelQuery.value(expression), predicate) ?? .zero
  }

  /// Returns the mean of an expression's values; `nil` without objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func average<T: PersistentModel, Value: AggregateNumber>(
    of expression: Foundation.Expression<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Double? {
    try aggregated(.average, ModelQuery.value(expression), predicate)
  }

  /// Returns the least of an expression's values; `nil` without objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func minimum<T: PersistentModel, Value: AggregateNumber>(
    of expression: Foundation.Expression<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try aggregated(.min, ModelQuery.value(expression), predicate)
  }

  /// Returns the greatest of an expression's values; `nil` without objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func maximum<T: PersistentModel, Value: AggregateNumber>(
    of expression: Foundation.Expression<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try aggregated(.max, ModelQuery.value(expression), predicate)
  }
}

/// A type of numbers that the store computes with: `Int`, `Int64`, `Double`, or `Decimal`.
public protocol AggregateNumber: AdditiveArithmetic, Comparable, Sendable {}

extension Int: AggregateNumber {}
extension Int64: AggregateNumber {}
extension Double: AggregateNumber {}
extension Decimal: AggregateNumber {}

extension AggregateNumber {
  fileprivate static var attributeType: AttributeType {
    (Self.self as? any AttributeValue.Type)?.attributeType ?? .double
  }

  /// Creates the number that the store has computed; `nil` if it's of another type.
  fileprivate init?(aggregate value: DepotProtocol.Value) {
    let forms: [Any] =
      switch value {
      case .int64(let number): [number, Int(number)]
      case .double(let number): [number]
      case .decimal(let number): [number]
      default: []
      }
    guard let number = forms.lazy.compactMap({ $0 as? Self }).first else { return nil }
    self = number
  }
}
