public import DepotClientCore
public import DepotProtocol
public import FoundationEssentials
public import FoundationInternationalization

extension BlockingConnection {
  /// Does what ``Client/exists(_:where:)`` does.
  public func exists<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil
  ) throws -> Bool {
    try exists(CountRequest(type, where: predicate))
  }

  /// Does what ``Client/page(_:where:sortBy:size:after:prefetch:deadline:)`` does.
  public func page<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    size: Int,
    after cursor: PageCursor? = nil,
    prefetch: [any PartialKeyPath<Model> & Sendable] = [],
    deadline: Duration? = nil
  ) throws -> Page<Model> {
    var reading = try PageReading(predicate, sort, prefetch, size: size, after: cursor)
    try fetch(reading.request, deadline: deadline) { try reading.append(&$0) }
    return reading.page
  }

  /// Does what ``Client/sections(_:by:where:sortBy:prefetch:deadline:)`` does.
  public func sections<Model: Record, Key: AttributeValue>(
    _ type: Model.Type,
    by keyPath: any KeyPath<Model, Key> & Sendable,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    prefetch: [any PartialKeyPath<Model> & Sendable] = [],
    deadline: Duration? = nil
  ) throws -> [RecordSection<Key, Model>] {
    var reading = try SectionReading(by: keyPath, predicate, sort, prefetch)
    let request = reading.request
    let result = try stream(.fetch(request), deadline) { try reading.append(&$0) }
    return try reading.sections(result)
  }

  /// Does what ``Client/distinct(_:_:where:sortBy:limit:deadline:)`` does.
  public func distinct<Model: Record, each Content: AttributeValue>(
    _ type: Model.Type,
    _ properties: repeat any KeyPath<Model, each Content> & Sendable,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    limit: Int? = nil,
    deadline: Duration? = nil
  ) throws -> [(repeat each Content)] {
    let request = try FetchRequest(
      distinct: repeat each properties,
      where: predicate,
      sortBy: sort,
      limit: limit
    )
    var rows: [(repeat each Content)] = []
    try fetch(request, deadline: deadline) { row in
      rows.append((repeat try (each Content).read(from: &row)))
    }
    return rows
  }

  /// Does what
  /// ``Client/aggregate(_:where:by:values:having:sortBy:limit:offset:deadline:)`` does.
  public func aggregate<Model: Record, each Key: AttributeValue, each Output: AttributeValue>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    by keys: repeat any KeyPath<Model, each Key> & Sendable,
    values: repeat Aggregate<Model, each Output>,
    having: QueryExpression? = nil,
    sortBy sort: [GroupOrder] = [],
    limit: Int? = nil,
    offset: Int = 0,
    deadline: Duration? = nil
  ) throws -> [AggregateGroup<(repeat each Key), (repeat each Output)>] {
    let request = try AggregateRequest(
      type,
      where: predicate,
      by: repeat each keys,
      values: repeat each values,
      having: having,
      sortBy: sort,
      limit: limit,
      offset: offset
    )
    var groups: [AggregateGroup<(repeat each Key), (repeat each Output)>] = []
    try aggregate(request, deadline: deadline) { row in
      let keys = (repeat try (each Key).read(from: &row))
      groups.append(
        AggregateGroup(keys: keys, values: (repeat try (each Output).read(from: &row)))
      )
    }
    return groups
  }
}
