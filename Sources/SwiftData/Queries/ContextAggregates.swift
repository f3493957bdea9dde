internal import DepotProtocol
internal import Foundation

/// The aggregates of the objects that satisfy a predicate, as the stores of a context compute them.
struct ContextAggregates<T: PersistentModel> {
  /// A value that objects have in common, and the aggregate of these.
  typealias Group = (key: Any, values: [DepotProtocol.Value])

  private let context: ModelContext
  private let predicate: Predicate<T>?

  init(_ context: ModelContext, _ predicate: Predicate<T>?) {
    self.context = context
    self.predicate = predicate
  }

  /// Returns an aggregate of an attribute; `nil` of no objects.
  func value<Result: AggregateNumber>(
    _ function: QueryExpression.Aggregate,
    of keyPath: PartialKeyPath<T>
  ) throws -> Result? { try value(function, of: path(keyPath)) }

  /// Returns an aggregate of an expression's values; `nil` of no objects.
  func value<Result: AggregateNumber>(
    _ function: QueryExpression.Aggregate,
    of value: QueryExpression
  ) throws -> Result? {
    try context.prepare()
    let fetch = try ContextFetch(context, FetchDescriptor(predicate: predicate))
    let groups = try context.using {
      try fetch.store.aggregate(
        StoreAggregation(
          query: fetch.exactQuery(),
          keys: [],
          values: [(function, value)],
          types: [Result.attributeType]
        ),
        in: context
      )
    }
    return groups.first?.first.flatMap { Result(aggregate: $0) }
  }

  /// Returns how many objects have each value of an attribute.
  func counts(by key: PartialKeyPath<T>) throws -> [Group] {
    try groups(attribute(key), (.count, nil), .int64)
  }

  /// Returns the sum of an attribute over the objects that have each value of another one.
  func sums(
    of keyPath: PartialKeyPath<T>,
    _ type: AttributeType,
    by key: PartialKeyPath<T>
  ) throws -> [Group] {
    try groups(attribute(key), (.sum, path(keyPath)), type)
  }

  private func groups(
    _ key: PropertyDescription,
    _ value: (QueryExpression.Aggregate, QueryExpression?),
    _ type: AttributeType
  ) throws -> [Group] {
    try context.prepare()
    let fetch = try ContextFetch(context, FetchDescriptor(predicate: predicate))
    guard let codec = key.codec, codec.suffixes == [""] else {
      throw SwiftDataError.unsupportedKeyPath.about(nil, key.name)
    }
    let groups = try context.using {
      try fetch.store.aggregate(
        StoreAggregation(
          query: fetch.exactQuery(),
          keys: [.attribute(key.name)],
          values: [value],
          types: [codec.attribute.type, type]
        ),
        in: context
      )
    }
    return try groups.map { group in
      (try codec.value(of: [group[0].jsonBytes]), Array(group.dropFirst()))
    }
  }

  private func path(_ keyPath: PartialKeyPath<T>) throws -> QueryExpression {
    let property = try attribute(keyPath)
    guard let opacity = property.opacity else { return .attribute(property.name) }
    let name = EntityDescription.of(T.self).name
    throw SwiftDataError(
      .unsupportedKeyPath,
      "The store can't compute with \(name).\(property.name), which \(opacity).",
      hint: "Fetch the objects, and compute it in memory.",
      entity: name,
      property: property.name
    )
  }

  private func attribute(_ keyPath: PartialKeyPath<T>) throws -> PropertyDescription {
    let description = EntityDescription.of(T.self)
    if let property = description.property(keyPath), property.codec != nil { return property }
    throw SwiftDataError.unsupportedKeyPath.about(description.name)
  }
}
