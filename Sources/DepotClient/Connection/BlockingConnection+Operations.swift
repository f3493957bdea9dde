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
  /// - Returns: The identifiers of the rows, and what became of them.
  /// - Throws: ``DepotError`` `conflict.unique`, `constraint.required`, `request.type`,
  ///   `storage.full`, and others; then no row of the request is stored.
  @discardableResult
  public func insert(
    _ request: InsertRequest,
    deadline: Duration? = nil,
    key: String? = nil
  ) throws -> InsertResult {
    try InsertResult(call(.insert(request), deadline: deadline, key: key))
  }

  /// Calls `body` with each of the rows that have these identifiers, in their order.
  ///
  /// - Returns: The identifiers that have no row, if the request allows that.
  /// - Throws: ``DepotError`` `notfound.object` if a row is missing and the request doesn't allow it.
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
    try node.document.bytes.withRows(at: rows.range.lowerBound, body)
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
    _ body: (inout RowReader) throws -> Void
  ) throws -> Int {
    try withoutActuallyEscaping(body) { body in
      try call(.fetch(request), deadline: deadline, columns: columns, rows: body).count("rows")
    }
  }

  /// Returns how many rows satisfy the predicate.
  public func count(_ request: CountRequest, deadline: Duration? = nil) throws -> Int {
    try call(.count(request), deadline: deadline).count("count")
  }

  /// Gives new values to rows as one transaction that is on disk when this returns.
  ///
  /// - Returns: How many rows were changed.
  /// - Throws: ``DepotError`` `notfound.object` if an identifier has no row, and what an insert throws.
  @discardableResult
  public func update(
    _ request: UpdateRequest,
    deadline: Duration? = nil,
    key: String? = nil
  ) throws -> Int {
    try call(.update(request), deadline: deadline, key: key).count("updated")
  }

  /// Deletes rows as one transaction that is on disk when this returns.
  ///
  /// - Returns: How many rows were deleted.
  /// - Throws: ``DepotError`` `notfound.object` if an identifier has no row.
  @discardableResult
  public func delete(
    _ request: DeleteRequest,
    deadline: Duration? = nil,
    key: String? = nil
  ) throws -> Int {
    try call(.delete(request), deadline: deadline, key: key).count("deleted")
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
