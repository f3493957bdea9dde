public import DepotProtocol
public import FoundationEssentials

/// Records that have the same values of some properties, and their aggregates.
///
/// Both are tuples in the order of the request, or the value itself if there is only one.
public struct AggregateGroup<Keys: Sendable, Values: Sendable>: Sendable {
  public let keys: Keys
  public let values: Values

  package init(keys: Keys, values: Values) {
    self.keys = keys
    self.values = values
  }
}

/// A key by which groups are sorted.
public struct GroupOrder: Sendable {
  let key: SortKey

  /// Sorts by the key at a position.
  public static func key(_ position: Int, _ order: SortOrder = .forward) -> GroupOrder {
    GroupOrder(key: SortKey("key\(position)", descending: order == .reverse))
  }

  /// Sorts by the value at a position.
  public static func value(_ position: Int, _ order: SortOrder = .forward) -> GroupOrder {
    GroupOrder(key: SortKey("value\(position)", descending: order == .reverse))
  }
}

extension AggregateRequest {
  /// Describes groups of a record's rows, whose columns are named `key0`, `key1`, …, `value0`, ….
  ///
  /// - Throws: ``DepotError`` `request.predicate` if the service can't evaluate the predicate or a
  ///   property isn't listed.
  public init<Model: Record, each Key: AttributeValue, each Output: AttributeValue>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    by keys: repeat any KeyPath<Model, each Key> & Sendable,
    values: repeat Aggregate<Model, each Output>,
    having: QueryExpression? = nil,
    sortBy sort: [GroupOrder] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) throws(DepotError) {
    var keyColumns: [Column] = []
    for keyPath in repeat each keys {
      let path = try Model.property(keyPath).path
      keyColumns.append(Column(name: "key\(keyColumns.count)", expression: .attribute(path)))
    }
    var valueColumns: [Value] = []
    for value in repeat each values {
      let expression = try value.expression.get()
      let name = "value\(valueColumns.count)"
      valueColumns.append(Value(name: name, value.function, of: expression))
    }
    self.init(
      entity: Model.entity,
      predicate: try QueryExpression(lowering: predicate),
      keys: keyColumns,
      values: valueColumns,
      having: having,
      sort: sort.map(\.key),
      limit: limit,
      offset: offset
    )
  }
}
