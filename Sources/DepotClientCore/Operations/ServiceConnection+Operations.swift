public import DepotProtocol

/// The operations on schemas, rows, and the service itself.
extension ServiceConnection {
  /// Checks that the service answers.
  @Blocking
  public func ping() async throws where Self == Client {
    _ = try await self.send(.ping)
  }

  /// Returns the document that describes the protocol.
  @Blocking
  public func describe() async throws -> JSONValue where Self == Client {
    try JSONValue(await self.send(.describe))
  }

  /// Returns the store's schema.
  @Blocking
  public func schema() async throws -> Schema where Self == Client {
    var reader = try JSONObjectReader(await self.send(.getSchema))
    return try Schema(reader.required("schema"))
  }

  /// Defines the schema; entities, optional attributes, and indexes may be added to it, and a newer
  /// version may change it without loss.
  ///
  /// - Parameters:
  ///   - schema: The whole schema.
  ///   - isDryRun: Whether to return the changes without making them.
  /// - Returns: The changes that were made, or would be.
  /// - Throws: ``DepotError`` `schema.mismatch` if the stored schema would have to change under the
  ///   same version, `schema.loss` if values would be lost, `schema.invalid` if the schema
  ///   contradicts itself.
  @Blocking
  @discardableResult
  public func define(_ schema: Schema, isDryRun: Bool = false) async throws -> SchemaResult
  where Self == Client {
    let options = MigrationOptions(allows: .migration)
    let operation = Operation.defineSchema(schema, isDryRun: isDryRun, options)
    return try SchemaResult(JSONValue(await self.send(operation)))
  }

  /// Inserts rows as one transaction that is on disk when this returns.
  ///
  /// - Parameters:
  ///   - request: The rows, at most 10,000.
  ///   - deadline: How long to wait at most. If no answer comes at all, the outcome is unknown.
  ///   - key: An idempotency key; ``Client`` makes one up if this is `nil`.
  ///   - author: The author of the change in the history; the client's author if `nil`.
  ///   - group: The group of the change in the history, which can be undone as a whole.
  /// - Returns: The outcome of the rows.
  /// - Throws: ``DepotError`` `conflict.unique`, `constraint.required`, `request.type`,
  ///   `storage.full`, and others; then no row of the request is stored.
  @Blocking
  @concurrent
  @discardableResult
  public func insert(
    _ request: InsertRequest,
    deadline: Duration? = nil,
    key: String? = nil,
    author: String? = nil,
    group: String? = nil
  ) async throws -> InsertResult where Self == Client {
    try await self.uploading(request.uploads, deadline: deadline, key: key) { rest, key in
      try InsertResult(
        await self.send(.insert(request), deadline: rest, key: key, author: author, group: group)
      )
    }
  }

  /// Returns the rows that have these identifiers, in their order.
  ///
  /// - Returns: The rows, and the identifiers that have none if the request allows that.
  /// - Throws: ``DepotError`` `notfound.object` if a row is missing and the request doesn't allow
  ///   it.
  @Blocking
  public func get(
    _ request: GetRequest,
    deadline: Duration? = nil
  ) async throws -> (rows: RowFrame, missing: [Int64]) where Self == Client {
    let node = try await self.send(.get(request), deadline: deadline)
    var reader = try JSONObjectReader(node)
    var columns: [String]?
    for name in try reader.optional("columns")?.elements() ?? [] {
      columns = (columns ?? []) + [try name.string()]
    }
    var missing: [Int64] = []
    for element in try reader.optional("missing")?.elements() ?? [] {
      missing.append(try element.int64())
    }
    let offset = try reader.required("rows").range.lowerBound
    return (RowFrame(bytes: node.document.bytes, offset: offset, columns: columns), missing)
  }

  /// Returns how many rows satisfy the predicate.
  @Blocking
  public func count(_ request: CountRequest, deadline: Duration? = nil) async throws -> Int
  where Self == Client {
    try await self.send(.count(request), deadline: deadline).count("count")
  }

  /// Returns whether a row satisfies the predicate.
  @Blocking
  public func exists(_ request: CountRequest, deadline: Duration? = nil) async throws -> Bool
  where Self == Client {
    try await self.send(.exists(request), deadline: deadline).flag("exists")
  }

  /// Inserts, changes, and deletes rows of any entities as one transaction that is on disk when
  /// this returns.
  ///
  /// A save that is too large for one frame is sent in parts; the service takes up to 1,000,000 rows.
  ///
  /// - Returns: The identifiers of the rows whose identifiers were temporary, and how many were
  ///   changed.
  /// - Throws: ``DepotError`` `notfound.object`, `conflict.unique`, and others; then nothing is
  ///   stored.
  @Blocking
  @concurrent
  @discardableResult
  public func save(
    _ request: SaveRequest,
    deadline: Duration? = nil,
    key: String? = nil,
    author: String? = nil,
    group: String? = nil
  ) async throws -> SaveResult where Self == Client {
    if let parts = SaveParts(request) {
      return try await self.save(request, parts, deadline: deadline, key: key) { save, rest, key in
        try await self.send(save, deadline: rest, key: key, author: author, group: group)
      }
    }
    return try await self.uploading(request.uploads, deadline: deadline, key: key) { rest, key in
      try SaveResult(
        await self.send(.save(request), deadline: rest, key: key, author: author, group: group)
      )
    }
  }

  /// Gives new values to rows as one transaction that is on disk when this returns.
  ///
  /// - Returns: How many rows were changed.
  /// - Throws: ``DepotError`` `notfound.object` if an identifier has no row, and errors of an
  ///   insert.
  @Blocking
  @discardableResult
  public func update(
    _ request: UpdateRequest,
    deadline: Duration? = nil,
    key: String? = nil,
    author: String? = nil,
    group: String? = nil
  ) async throws -> Int where Self == Client {
    try await self.uploading(request.uploads, deadline: deadline, key: key) { rest, key in
      try await self.send(
        .update(request),
        deadline: rest,
        key: key,
        author: author,
        group: group
      ).count("updated")
    }
  }

  /// Deletes rows as one transaction that is on disk when this returns.
  ///
  /// - Returns: How many rows were deleted.
  /// - Throws: ``DepotError`` `notfound.object` if an identifier has no row.
  @Blocking
  @discardableResult
  public func delete(
    _ request: DeleteRequest,
    deadline: Duration? = nil,
    key: String? = nil,
    author: String? = nil,
    group: String? = nil
  ) async throws -> Int where Self == Client {
    try await self.send(
      .delete(request),
      deadline: deadline,
      key: key,
      author: author,
      group: group
    ).count("deleted")
  }

  /// Writes a part of a value in external storage, on disk when this returns.
  ///
  /// - Returns: The length of the value, or of the uploaded part of it.
  /// - Throws: ``DepotError`` `notfound.object` and others.
  @Blocking
  @discardableResult
  public func writeBlob(
    _ request: BlobWriteRequest,
    deadline: Duration? = nil,
    key: String? = nil
  ) async throws -> Int where Self == Client {
    try await self.send(.writeBlob(request), deadline: deadline, key: key).count("length")
  }

  /// Waits until the watches of this connection have received every commit that is done.
  ///
  /// The loops that read the watches may still have to process them. The watches may have received
  /// later commits too.
  ///
  /// - Returns: The token up to which the watches are complete, for each of the container's stores
  ///   that has a watch.
  @Blocking
  @discardableResult
  public func barrier() async throws -> [HistoryToken] where Self == Client {
    var reader = try JSONObjectReader(await self.send(.barrier))
    return try reader.historyTokens("tokens")
  }

  /// Returns the containers that are open, the service's own first.
  @Blocking
  public func containers() async throws -> [OpenContainer] where Self == Client {
    try OpenContainer.list(await self.send(.listContainers))
  }

  /// Returns how the service would find the rows: the SQL, the plan, and advice.
  @Blocking
  public func explain(_ request: FetchRequest) async throws -> JSONValue where Self == Client {
    try JSONValue(await self.send(.explain(ExplainRequest(request))))
  }

  /// Returns the service's counters.
  @Blocking
  public func stats() async throws -> JSONValue where Self == Client {
    try JSONValue(await self.send(.stats))
  }

  /// Closes another client's connection; that client is notified that the owner closed it.
  ///
  /// - Parameter number: Its number in the service's counters.
  /// - Throws: ``DepotError`` `notfound.connection` if there is none, `permission.op` unless this user
  ///   owns the service.
  @Blocking
  public func close(connection number: Int64) async throws where Self == Client {
    _ = try await self.send(.closeConnection(number))
  }

  /// Asks the service to finish its work and to end.
  ///
  /// - Throws: ``DepotError`` `permission.op` unless this user owns the service.
  @Blocking
  public func shutdown() async throws where Self == Client {
    _ = try await self.send(.shutdown)
  }
}
