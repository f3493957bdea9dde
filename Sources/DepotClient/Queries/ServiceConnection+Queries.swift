public import DepotClientCore
public import DepotProtocol
public import FoundationEssentials
public import FoundationInternationalization

/// Pages, sections, and aggregates of records.
extension ServiceConnection {
  /// Returns whether a record satisfies a predicate.
  ///
  /// - Throws: ``DepotError`` `request.predicate` and others.
  @Blocking
  @concurrent
  public func exists<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil
  ) async throws -> Bool where Self == Client {
    try await exists(CountRequest(type, where: predicate))
  }

  /// Returns some records of an order, from the beginning or from where another page ended.
  ///
  /// ```swift
  /// var page = try await depot.page(Package.self, sortBy: [SortDescriptor(\.name)], size: 50)
  /// while let next = page.next {
  ///   page = try await depot.page(
  ///     Package.self, sortBy: [SortDescriptor(\.name)], size: 50, after: next)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The record.
  ///   - predicate: The condition of the records; the same for each page.
  ///   - sort: The properties to sort by; the same for each page.
  ///   - size: How many records a page has at most.
  ///   - cursor: Where the page before ended; `nil` for the first page.
  ///   - prefetch: The relationships whose rows are prefetched.
  ///   - deadline: How long to wait at most.
  /// - Returns: The records, and where the next page begins.
  /// - Throws: ``DepotError`` `request.predicate` and others.
  @Blocking
  @concurrent
  public func page<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    size: Int,
    after cursor: PageCursor? = nil,
    prefetch: [any PartialKeyPath<Model> & Sendable] = [],
    deadline: Duration? = nil
  ) async throws -> Page<Model> where Self == Client {
    var reading = try PageReading(predicate, sort, prefetch, size: size, after: cursor)
    let request = reading.request
    let shared = SharedDeadline(deadline)
    _ = try await self.stream(.fetch(request), deadline) { try reading.append(&$0) }
    return try await self.wholePage(reading.page, of: request, shared)
  }

  /// Returns records in sections that have the same value of a property, in the order of that
  /// value.
  ///
  /// - Parameters:
  ///   - type: The record.
  ///   - keyPath: The property, which is the first that the records are sorted by.
  ///   - predicate: The condition of the records; all of them if `nil`.
  ///   - sort: The properties to sort by in a section.
  ///   - prefetch: The relationships whose rows are prefetched.
  ///   - deadline: How long to wait at most.
  /// - Returns: The sections; their records are in order.
  /// - Throws: ``DepotError`` `request.predicate` and others.
  @Blocking
  @concurrent
  public func sections<Model: Record, Key: AttributeValue>(
    _ type: Model.Type,
    by keyPath: any KeyPath<Model, Key> & Sendable,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    prefetch: [any PartialKeyPath<Model> & Sendable] = [],
    deadline: Duration? = nil
  ) async throws -> [RecordSection<Key, Model>] where Self == Client {
    var request = try FetchRequest(type, where: predicate, sortBy: sort, prefetch: prefetch)
    request.sectionBy = try Model.property(keyPath).path
    let shared = SharedDeadline(deadline)
    var batch = RecordBatch<Model>()
    let result = try await self.stream(.fetch(request), deadline) { try batch.append(&$0) }
    let others: [Model?] = try await self.incompleteRecords(batch, of: request, shared)
    return try RecordSection.list(batch, others, result)
  }

  /// Returns the different combinations of values of some properties.
  ///
  /// ```swift
  /// let sections = try await depot.distinct(Package.self, \.section)
  /// ```
  ///
  /// - Throws: ``DepotError`` `request.predicate` and others.
  @Blocking
  @concurrent
  public func distinct<Model: Record, each Content: AttributeValue>(
    _ type: Model.Type,
    _ properties: repeat any KeyPath<Model, each Content> & Sendable,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    limit: Int? = nil,
    deadline: Duration? = nil
  ) async throws -> [(repeat each Content)] where Self == Client {
    var request = try FetchRequest(type, where: predicate, sortBy: sort, limit: limit)
    request.isDistinct = true
    request.select = []
    for keyPath in repeat each properties {
      request.select?.append(try Model.property(keyPath).path)
    }
    var rows: [(repeat each Content)] = []
    _ = try await self.stream(.fetch(request), deadline) { row in
      rows.append((repeat try (each Content).read(from: &row)))
    }
    return rows
  }

  /// Returns aggregates of groups of records.
  ///
  /// ```swift
  /// let groups = try await depot.aggregate(
  ///   Package.self, by: \.section, values: .count, .sum(\.size),
  ///   sortBy: [.value(1, .reverse)], limit: 10)
  /// for group in groups { print(group.keys ?? "none", group.values.0, group.values.1) }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The record.
  ///   - predicate: The condition of the records; all of them if `nil`.
  ///   - keys: The properties that the records of a group have in common; without any, all records
  ///     are one group.
  ///   - values: The aggregates of a group's records.
  ///   - having: The condition of the groups; its attributes are `key0`, …, `value0`, ….
  ///   - sort: The order of the groups, before their keys.
  ///   - limit: How many groups to return at most.
  ///   - offset: How many groups to leave out at the beginning.
  ///   - deadline: How long to wait at most.
  /// - Returns: The groups in order.
  /// - Throws: ``DepotError`` `request.predicate` and others.
  @Blocking
  @concurrent
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
  ) async throws -> [AggregateGroup<(repeat each Key), (repeat each Output)>] where Self == Client {
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
    _ = try await self.stream(.aggregate(request), deadline) { row in
      let keys = (repeat try (each Key).read(from: &row))
      groups.append(
        AggregateGroup(keys: keys, values: (repeat try (each Output).read(from: &row)))
      )
    }
    return groups
  }
}
