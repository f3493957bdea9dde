public import DepotClientCore
public import DepotProtocol
public import FoundationEssentials
public import FoundationInternationalization

/// Inserting, fetching, changing, and deleting records.
extension ServiceConnection {
  /// Inserts records as one transaction that is on disk when this returns.
  ///
  /// - Parameters:
  ///   - records: The records, at most 10,000.
  ///   - onConflict: The treatment of a row that has the same unique value.
  /// - Returns: The identifiers of the rows in the order of `records`; for a skipped record, the
  ///   identifier of the row that has its unique value.
  /// - Throws: ``DepotError`` `conflict.unique` and others; then nothing is stored.
  @Blocking
  @concurrent
  @discardableResult
  public func insert<Model: Record>(
    _ records: [Model],
    onConflict: InsertRequest.OnConflict = .error
  ) async throws -> [Identifier<Model>] where Self == Client {
    try await insert(InsertRequest(records, onConflict: onConflict)).identifiers(of: Model.self)
  }

  /// Returns the record that has an identifier.
  ///
  /// - Throws: ``DepotError`` `notfound.object` if there is none.
  @Blocking
  @concurrent
  public func get<Model: Record>(_ identifier: Identifier<Model>) async throws -> Model
  where Self == Client {
    guard let record = try await get([identifier]).first else { throw DepotError.missingRow }
    return record
  }

  /// Returns the records that have these identifiers, in their order.
  ///
  /// Texts and data of more than `Limits.valueBytes` are read one by one, each with all of its row.
  ///
  /// - Throws: ``DepotError`` `notfound.object` if one is missing.
  @Blocking
  @concurrent
  public func get<Model: Record>(_ identifiers: [Identifier<Model>]) async throws -> [Model]
  where Self == Client {
    let request = GetRequest(identifiers)
    var batch = RecordBatch<Model>()
    try await get(request).rows.forEachRow { try batch.append(&$0) }
    let records = try await self.wholeRecords(batch, of: FetchRequest(request))
    // The service says which one was deleted meanwhile.
    return records.count == batch.count ? records : try await get(identifiers)
  }

  /// Returns the records that satisfy a predicate.
  ///
  /// Texts and data of more than `Limits.valueBytes` are read afterwards, each with all of its row as it
  /// is then; a row that was deleted meanwhile is left out. A ``LargeValue`` isn't read.
  ///
  /// - Parameters:
  ///   - type: The record.
  ///   - predicate: The condition of the records; all of them if `nil`.
  ///   - sort: The properties to sort by, the most important first.
  ///   - limit: How many records to return at most.
  ///   - offset: How many records to leave out at the beginning.
  ///   - prefetch: The relationships whose rows are prefetched.
  ///   - deadline: How long to wait at most.
  /// - Returns: The records in order.
  /// - Throws: ``DepotError`` `request.predicate` before anything is sent if the service can't
  ///   evaluate the predicate or the order, and others.
  @Blocking
  @concurrent
  public func fetch<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    limit: Int? = nil,
    offset: Int = 0,
    prefetch: [any PartialKeyPath<Model> & Sendable] = [],
    deadline: Duration? = nil
  ) async throws -> [Model] where Self == Client {
    let request = try FetchRequest(
      type,
      where: predicate,
      sortBy: sort,
      limit: limit,
      offset: offset,
      prefetch: prefetch
    )
    let shared = SharedDeadline(deadline)
    var batch = RecordBatch<Model>()
    _ = try await self.stream(.fetch(request), deadline) { try batch.append(&$0) }
    return try await self.wholeRecords(batch, of: request, shared)
  }

  /// Returns how many records satisfy a predicate.
  ///
  /// - Throws: ``DepotError`` `request.predicate` and others.
  @Blocking
  @concurrent
  public func count<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil
  ) async throws -> Int where Self == Client {
    try await count(CountRequest(type, where: predicate))
  }

  /// Gives new values to the records that satisfy a predicate.
  ///
  /// ```swift
  /// try await client.update(Package.self, where: #Predicate { $0.section == nil },
  ///   set: [.set(\.section, to: "misc")])
  /// ```
  ///
  /// - Returns: How many records were changed.
  /// - Throws: ``DepotError`` `request.predicate` and others.
  @Blocking
  @concurrent
  @discardableResult
  public func update<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>,
    set assignments: [Assignment<Model>]
  ) async throws -> Int where Self == Client {
    try await update(UpdateRequest(RowSelection(where: predicate), set: assignments))
  }

  /// Gives new values to the record that has an identifier.
  ///
  /// - Throws: ``DepotError`` `notfound.object` if there is none, and others.
  @Blocking
  @concurrent
  public func update<Model: Record>(
    _ identifier: Identifier<Model>,
    set assignments: [Assignment<Model>]
  ) async throws where Self == Client {
    try await update(UpdateRequest(RowSelection([identifier]), set: assignments))
  }

  /// Deletes the records that satisfy a predicate.
  ///
  /// - Returns: How many there were.
  /// - Throws: ``DepotError`` `request.predicate` and others.
  @Blocking
  @concurrent
  @discardableResult
  public func delete<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>
  ) async throws -> Int where Self == Client {
    try await delete(DeleteRequest(entity: Model.entity, rows: RowSelection(where: predicate)))
  }

  /// Deletes the record that has an identifier.
  ///
  /// - Throws: ``DepotError`` `notfound.object` if there is none.
  @Blocking
  @concurrent
  public func delete<Model: Record>(_ identifier: Identifier<Model>) async throws
  where Self == Client {
    try await delete(DeleteRequest(entity: Model.entity, rows: RowSelection([identifier])))
  }
}

extension InsertResult {
  /// Returns the identifiers of the rows of a request that reports no rejects.
  func identifiers<Model: Record>(of type: Model.Type) -> [Identifier<Model>] {
    identifiers.compactMap { $0.map(Identifier.init) }
  }
}

extension FetchRequest {
  /// Fetches rows in the form of another request.
  fileprivate init(_ request: GetRequest) {
    self.init(entity: request.entity, select: request.select, namesColumns: false)
  }
}
