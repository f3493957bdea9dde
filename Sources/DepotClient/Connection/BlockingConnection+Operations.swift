public import DepotProtocol

extension BlockingConnection {
  /// Asks for a sign of life.
  ///
  /// - Throws: ``DepotError`` if there is none.
  public func ping() throws {
    _ = try call(.ping)
  }

  /// Returns the document that describes the protocol.
  public func describe() throws -> JSONValue {
    try JSONValue(call(.describe))
  }

  /// Returns the store's schema.
  public func schema() throws -> Schema {
    var reader = try JSONObjectReader(call(.getSchema))
    return try Schema(reader.required("schema"))
  }

  /// Defines the schema; entities, optional attributes, and indexes may be added to it.
  ///
  /// - Parameters:
  ///   - schema: The whole schema.
  ///   - isDryRun: Whether to say what would change and change nothing.
  /// - Returns: What was changed.
  /// - Throws: ``DepotError`` `schema.mismatch` if anything that is there would have to change,
  ///   `schema.invalid` if the schema contradicts itself.
  @discardableResult
  public func define(_ schema: Schema, isDryRun: Bool = false) throws -> SchemaResult {
    try SchemaResult(call(.defineSchema(schema, isDryRun: isDryRun)))
  }

  /// Inserts rows as one transaction that is on disk when this returns.
  ///
  /// - Parameters:
  ///   - request: The rows, at most 10,000.
  ///   - deadline: How long to wait at most; nothing is stored after it.
  ///   - key: An idempotency key, with which the request may be sent again after a lost connection.
  ///   - author: Who the history says makes the change; the connection's author if `nil`.
  ///   - group: What the change belongs to in the history, by which it can be undone with others.
  /// - Returns: The identifiers of the rows, and what became of them.
  /// - Throws: ``DepotError`` `conflict.unique`, `constraint.required`, `request.type`,
  ///   `storage.full`, and others; then no row of the request is stored.
  @discardableResult
  public func insert(
    _ request: InsertRequest,
    deadline: Duration? = nil,
    key: String? = nil,
    author: String? = nil,
    group: String? = nil
  ) throws -> InsertResult {
    try InsertResult(write(.insert(request), deadline, key, author, group))
  }

  /// Calls `body` with each of the rows that have these identifiers, in their order.
  ///
  /// - Returns: The identifiers that have no row, if the request allows that.
  /// - Throws: ``DepotError`` `notfound.object` if a row is missing and the request doesn't allow
  ///   it.
  @discardableResult
  public func get(
    _ request: GetRequest,
    columns: (([String]) throws -> Void)? = nil,
    _ body: (inout RowReader) throws -> Void
  ) throws -> [Int64] {
    let node = try call(.get(request))
    var reader = try JSONObjectReader(node)
    if let names = reader.optional("columns") {
      var list: [String] = []
      for name in try names.elements() { list.append(try name.string()) }
      try columns?(list)
    }
    let rows = try reader.required("rows")
    try node.document.bytes.withRows(at: rows.range.lowerBound, RowReading(), body)
    var missing: [Int64] = []
    for element in try reader.optional("missing")?.elements() ?? [] {
      missing.append(try element.int64())
    }
    return missing
  }

  /// Calls `body` with each of the rows that a request describes, as they arrive.
  ///
  /// - Parameters:
  ///   - request: Which rows, in which order.
  ///   - deadline: How long to wait at most.
  ///   - columns: What to do with the names of the columns, which come first if the request wants
  ///     them.
  ///   - related: What to do with the rows of a relationship that were prefetched, which come
  ///     before the rows that lead to them.
  ///   - body: What to do with a row. It reads the values of the attributes in the order of the
  ///     columns, all of them.
  /// - Returns: How many rows there were.
  /// - Throws: ``DepotError`` `request.predicate` and others, or what `body` throws, after the call
  ///   was cancelled.
  @discardableResult
  public func fetch(
    _ request: FetchRequest,
    deadline: Duration? = nil,
    columns: (([String]) throws -> Void)? = nil,
    related: ((RelatedBlock) throws -> Void)? = nil,
    _ body: (inout RowReader) throws -> Void
  ) throws -> Int {
    try stream(.fetch(request), deadline, columns, related, body).count("rows")
  }

  /// Calls `body` with each row of a stream; returns the result that comes at its end.
  func stream(
    _ operation: Operation,
    _ deadline: Duration?,
    _ columns: (([String]) throws -> Void)? = nil,
    _ related: ((RelatedBlock) throws -> Void)? = nil,
    _ body: (inout RowReader) throws -> Void
  ) throws -> JSONNode {
    try withoutActuallyEscaping(body) { body in
      try call(operation, deadline: deadline, columns: columns, related: related, rows: body)
    }
  }

  /// Returns how many rows satisfy the predicate.
  public func count(_ request: CountRequest, deadline: Duration? = nil) throws -> Int {
    try call(.count(request), deadline: deadline).count("count")
  }

  /// Returns whether a row satisfies the predicate.
  public func exists(_ request: CountRequest, deadline: Duration? = nil) throws -> Bool {
    try call(.exists(request), deadline: deadline).flag("exists")
  }

  /// Calls `body` with each group of rows that a request describes, as they arrive.
  ///
  /// - Parameters:
  ///   - request: What to group, and what the rows of a group come to.
  ///   - deadline: How long to wait at most.
  ///   - body: What to do with a group. It reads the values of the keys and then the others.
  /// - Throws: ``DepotError`` `request.predicate` and others, or what `body` throws.
  public func aggregate(
    _ request: AggregateRequest,
    deadline: Duration? = nil,
    _ body: (inout RowReader) throws -> Void
  ) throws {
    _ = try stream(.aggregate(request), deadline, nil, nil, body)
  }

  /// Inserts, changes, and deletes rows of any entities as one transaction that is on disk when
  /// this returns.
  ///
  /// What is too large for one frame is sent in parts; the service takes up to 1,000,000 rows.
  ///
  /// - Returns: The identifiers of the rows whose identifiers were temporary, and how many were
  ///   changed.
  /// - Throws: ``DepotError`` `notfound.object`, `conflict.unique`, and others; then nothing is
  ///   stored.
  @discardableResult
  public func save(
    _ request: SaveRequest,
    deadline: Duration? = nil,
    key: String? = nil,
    author: String? = nil,
    group: String? = nil
  ) throws -> SaveResult {
    if let parts = SaveParts(request) {
      return try save(request, parts, deadline, key, author, group)
    }
    return try SaveResult(write(.save(request), deadline, key, author, group))
  }

  /// Gives new values to rows as one transaction that is on disk when this returns.
  ///
  /// - Returns: How many rows were changed.
  /// - Throws: ``DepotError`` `notfound.object` if an identifier has no row, and what an insert
  ///   throws.
  @discardableResult
  public func update(
    _ request: UpdateRequest,
    deadline: Duration? = nil,
    key: String? = nil,
    author: String? = nil,
    group: String? = nil
  ) throws -> Int {
    try write(.update(request), deadline, key, author, group).count("updated")
  }

  /// Deletes rows as one transaction that is on disk when this returns.
  ///
  /// - Returns: How many rows were deleted.
  /// - Throws: ``DepotError`` `notfound.object` if an identifier has no row.
  @discardableResult
  public func delete(
    _ request: DeleteRequest,
    deadline: Duration? = nil,
    key: String? = nil,
    author: String? = nil,
    group: String? = nil
  ) throws -> Int {
    try write(.delete(request), deadline, key, author, group).count("deleted")
  }

  func write(
    _ operation: Operation,
    _ deadline: Duration?,
    _ key: String?,
    _ author: String?,
    _ group: String?
  ) throws -> JSONNode {
    try perform(operation, deadline: deadline, key: key, author: author, group: group)
  }

  /// Returns how the service would find the rows: the SQL, the plan, and advice.
  public func explain(_ request: FetchRequest) throws -> JSONValue {
    try JSONValue(call(.explain(ExplainRequest(request))))
  }

  /// Returns the service's counters.
  public func stats() throws -> JSONValue {
    try JSONValue(call(.stats))
  }

  /// Asks the service to finish what it does and to end.
  ///
  /// - Throws: ``DepotError`` `permission.op` unless this user owns the service.
  public func shutdown() throws {
    _ = try call(.shutdown)
  }
}
