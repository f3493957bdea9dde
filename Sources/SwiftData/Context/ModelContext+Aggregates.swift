internal import DepotProtocol
public import Foundation

/// What the store computes of many objects, without reading them.
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
    try aggregated(.sum, keyPath, predicate).flatMap { Value(aggregate: $0) } ?? .zero
  }

  /// Returns the mean of an attribute; `nil` of no objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func average<T: PersistentModel, Value: AggregateNumber>(
    of keyPath: KeyPath<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Double? {
    try aggregated(.average, keyPath, predicate).flatMap { Double(aggregate: $0) }
  }

  /// Returns the least value of an attribute; `nil` of no objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func minimum<T: PersistentModel, Value: AggregateNumber>(
    of keyPath: KeyPath<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try aggregated(.min, keyPath, predicate).flatMap { Value(aggregate: $0) }
  }

  /// Returns the greatest value of an attribute; `nil` of no objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func maximum<T: PersistentModel, Value: AggregateNumber>(
    of keyPath: KeyPath<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try aggregated(.max, keyPath, predicate).flatMap { Value(aggregate: $0) }
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
    let summed = try attribute(keyPath)
    let groups = try grouped(
      attribute(group),
      [(.sum, .attribute(summed.name))],
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

  private func aggregated<T: PersistentModel, Content: AggregateNumber>(
    _ function: QueryExpression.Aggregate,
    _ keyPath: KeyPath<T, Content>,
    _ predicate: Predicate<T>?
  ) throws -> DepotProtocol.Value? {
    let value = QueryExpression.attribute(try attribute(keyPath).name)
    return try aggregated(function, value, Content.self, predicate)
  }

  private func aggregated<T: PersistentModel, Content: AggregateNumber>(
    _ function: QueryExpression.Aggregate,
    _ value: QueryExpression,
    _: Content.Type,
    _ predicate: Predicate<T>?
  ) throws -> DepotProtocol.Value? {
    try prepare()
    let fetch = try ContextFetch(self, FetchDescriptor(predicate: predicate))
    return try fetch.store.aggregate(
      StoreAggregation(
        query: fetch.exactQuery(),
        keys: [],
        values: [(function, value)],
        types: [function == .average ? .double : Content.attributeType]
      ),
      in: self
    ).first?.first
  }

  private func grouped<T: PersistentModel>(
    _ key: PropertyDescription,
    _ values: [(QueryExpression.Aggregate, QueryExpression?)],
    _ types: [AttributeType],
    _ predicate: Predicate<T>?
  ) throws -> [(key: Any, values: [DepotProtocol.Value])] {
    try prepare()
    let fetch = try ContextFetch(self, FetchDescriptor(predicate: predicate))
    guard let codec = key.codec, codec.suffixes == [""] else { throw unsupported(key) }
    let groups = try fetch.store.aggregate(
      StoreAggregation(
        query: fetch.exactQuery(),
        keys: [.attribute(key.name)],
        values: values,
        types: [codec.attribute.type] + types
      ),
      in: self
    )
    return try groups.map { group in
      (try codec.value(of: group[0]), Array(group.dropFirst()))
    }
  }

  private func attribute<T: PersistentModel>(
    _ keyPath: PartialKeyPath<T>
  ) throws -> PropertyDescription {
    let description = EntityDescription.of(T.self)
    if let property = description.property(keyPath), property.codec != nil { return property }
    var error = SwiftDataError.unsupportedKeyPath
    error.entity = description.name
    throw error
  }

  private func unsupported(_ property: PropertyDescription) -> SwiftDataError {
    var error = SwiftDataError.unsupportedKeyPath
    error.property = property.name
    return error
  }
}

// MARK: - Of expressions

extension ModelContext {
  /// Returns the sum of what an expression comes to; 0 of no objects.
  ///
  /// - Throws: ``SwiftDataError`` `unsupportedPredicate` if the store can't compute the expression,
  ///   and as `sum(of:where:)` of a key path does.
  public final func sum<T: PersistentModel, Value: AggregateNumber>(
    of expression: Foundation.Expression<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Value {
    try computed(.sum, expression, predicate).flatMap { Value(aggregate: $0) } ?? .zero
  }

  /// Returns the mean of what an expression comes to; `nil` of no objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func average<T: PersistentModel, Value: AggregateNumber>(
    of expression: Foundation.Expression<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Double? {
    try computed(.average, expression, predicate).flatMap { Double(aggregate: $0) }
  }

  /// Returns the least value that an expression comes to; `nil` of no objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func minimum<T: PersistentModel, Value: AggregateNumber>(
    of expression: Foundation.Expression<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try computed(.min, expression, predicate).flatMap { Value(aggregate: $0) }
  }

  /// Returns the greatest value that an expression comes to; `nil` of no objects.
  ///
  /// - Throws: ``SwiftDataError`` as `sum(of:where:)` does.
  public final func maximum<T: PersistentModel, Value: AggregateNumber>(
    of expression: Foundation.Expression<T, Value>,
    where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try computed(.max, expression, predicate).flatMap { Value(aggregate: $0) }
  }

  private func computed<T: PersistentModel, Content: AggregateNumber>(
    _ function: QueryExpression.Aggregate,
    _ expression: Foundation.Expression<T, Content>,
    _ predicate: Predicate<T>?
  ) throws -> DepotProtocol.Value? {
    do {
      return try aggregated(function, ModelQuery.value(expression), Content.self, predicate)
    } catch let error as DepotError {
      throw SwiftDataError(error)
    }
  }
}

/// A type of numbers that the store computes with.
///
/// What it asks for isn't for programs to call, and has an underscore therefore.
public protocol AggregateNumber: AdditiveArithmetic, Comparable, Sendable {
  /// The name of the type of attributes.
  // swift-format-ignore: NoLeadingUnderscores
  static var _$attributeType: String { get }

  /// Creates the number that the store has computed; `nil` if it's of another type.
  init?(_$aggregate value: Any)
}

extension AggregateNumber {
  fileprivate static var attributeType: AttributeType {
    AttributeType(rawValue: _$attributeType) ?? .double
  }

  fileprivate init?(aggregate value: DepotProtocol.Value) {
    switch value {
    case .int64(let number): self.init(_$aggregate: number)
    case .double(let number): self.init(_$aggregate: number)
    case .decimal(let number): self.init(_$aggregate: number)
    default: return nil
    }
  }
}

// Not for programs to call.
// swift-format-ignore: NoLeadingUnderscores
extension Int: AggregateNumber {
  public static var _$attributeType: String { "int64" }
  public init?(_$aggregate value: Any) {
    guard let number = value as? Int64 else { return nil }
    self.init(number)
  }
}

// Not for programs to call.
// swift-format-ignore: NoLeadingUnderscores
extension Int64: AggregateNumber {
  public static var _$attributeType: String { "int64" }
  public init?(_$aggregate value: Any) {
    guard let number = value as? Int64 else { return nil }
    self = number
  }
}

// Not for programs to call.
// swift-format-ignore: NoLeadingUnderscores
extension Double: AggregateNumber {
  public static var _$attributeType: String { "double" }
  public init?(_$aggregate value: Any) {
    guard let number = value as? Double else { return nil }
    self = number
  }
}

// Not for programs to call.
// swift-format-ignore: NoLeadingUnderscores
extension Decimal: AggregateNumber {
  public static var _$attributeType: String { "decimal" }
  public init?(_$aggregate value: Any) {
    guard let number = value as? Decimal else { return nil }
    self = number
  }
}

extension AttributeCodec {
  /// Reads the value of the only column.
  func value(of value: DepotProtocol.Value) throws -> Any {
    var batch = RowBatch()
    batch.append([value])
    return try batch.json.withUnsafeBufferPointer { bytes in
      var row = try RowReader(bytes)
      _ = try row.beginRow()
      return try read(&row)
    }
  }
}
