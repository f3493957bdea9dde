public import DepotProtocol

extension BlockingConnection {
  /// Does what ``Client/ping()`` does.
  public func ping() throws {
    _ = try send(.ping)
  }

  /// Returns the document that describes the protocol.
  public func describe() throws -> JSONValue {
    try JSONValue(send(.describe))
  }

  /// Returns the store's schema.
  public func schema() throws -> Schema {
    var reader = try JSONObjectReader(send(.getSchema))
    return try Schema(reader.required("schema"))
  }

  /// Does what ``Client/define(_:isDryRun:)`` does.
  @discardableResult
  public func define(_ schema: Schema, isDryRun: Bool = false) throws -> SchemaResult {
    let options = MigrationOptions(allows: .migration)
    return try SchemaResult(send(.defineSchema(schema, isDryRun: isDryRun, options)))
  }

  /// Does what ``Client/insert(_:deadline:key:author:group:)`` does, but makes up no key.
  @discardableResult
  public func insert(
    _ request: InsertRequest,
    deadline: Duration? = nil,
    key: String? = nil,
    author: String? = nil,
    group: String? = nil
  ) throws -> InsertResult {
    try InsertResult(
      send(.insert(request), deadline: deadline, key: key, author: author, group: group)
    )
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
    let node = try send(.get(request))
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
  package func stream(
    _ operation: Operation,
    _ deadline: Duration?,
    _ columns: (([String]) throws -> Void)? = nil,
    _ related: ((RelatedBlock) throws -> Void)? = nil,
    _ body: (inout RowReader) throws -> Void
  ) throws -> JSONNode {
    try withoutActuallyEscaping(body) { body in
      try send(operation, deadline: deadline) { frame in
        var frame = frame
        frame.reading = RowReading(operation)
        if let names = frame.columns { try columns?(names) }
        if let related { for block in try frame.related() { try related(block) } }
        try frame.forEachRow(body)
      }
    }
  }

  /// Returns how many rows satisfy the predicate.
  public func count(_ request: CountRequest, deadline: Duration? = nil) throws -> Int {
    try send(.count(request), deadline: deadline).count("count")
  }

  /// Returns whether a row satisfies the predicate.
  public func exists(_ request: CountRequest, deadline: Duration? = nil) throws -> Bool {
    try send(.exists(request), deadline: deadline).flag("exists")
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

  /// Does what ``Client/save(_:deadline:key:author:group:)`` does, but makes up no key.
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
    return try SaveResult(
      send(.save(request), deadline: deadline, key: key, author: author, group: group)
    )
  }

  /// Does what ``Client/update(_:deadline:key:author:group:)`` does, but makes up no key.
  @discardableResult
  public func update(
    _ request: UpdateRequest,
    deadline: Duration? = nil,
    key: String? = nil,
    author: String? = nil,
    group: String? = nil
  ) throws -> Int {
    try send(.update(request), deadline: deadline, key: key, author: author, group: group).count(
      "updated"
    )
  }

  /// Does what ``Client/delete(_:deadline:key:author:group:)`` does, but makes up no key.
  @discardableResult
  public func delete(
    _ request: DeleteRequest,
    deadline: Duration? = nil,
    key: String? = nil,
    author: String? = nil,
    group: String? = nil
  ) throws -> Int {
    try send(.delete(request), deadline: deadline, key: key, author: author, group: group).count(
      "deleted"
    )
  }

  /// Returns how the service would find the rows: the SQL, the plan, and advice.
  public func explain(_ request: FetchRequest) throws -> JSONValue {
    try JSONValue(send(.explain(ExplainRequest(request))))
  }

  /// Returns the service's counters.
  public func stats() throws -> JSONValue {
    try JSONValue(send(.stats))
  }

  /// Does what ``Client/shutdown()`` does.
  public func shutdown() throws {
    _ = try send(.shutdown)
  }
}
