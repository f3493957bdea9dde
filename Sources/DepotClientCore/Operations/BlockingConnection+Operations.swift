public import DepotProtocol

extension BlockingConnection {
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
    let (rows, missing) = try get(request)
    if let names = rows.columns { try columns?(names) }
    try rows.forEachRow(body)
    return missing
  }

  /// Calls `body` with each of the rows that a request describes, as they arrive.
  ///
  /// - Parameters:
  ///   - request: The rows and their order.
  ///   - deadline: How long to wait at most.
  ///   - columns: Takes the names of the columns, which come first if the request wants them.
  ///   - related: Takes the prefetched rows of a relationship, which come before the rows that lead
  ///     to them.
  ///   - body: Reads a row: the values of the attributes in the order of the columns, all of them.
  /// - Returns: How many rows there were.
  /// - Throws: ``DepotError`` `request.predicate` and others, or errors of `body`, after the call
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

  /// Calls `body` with each group of rows that a request describes, as they arrive.
  ///
  /// - Parameters:
  ///   - request: The groups and their aggregates.
  ///   - deadline: How long to wait at most.
  ///   - body: Reads a group: the values of the keys and then the aggregates.
  /// - Throws: ``DepotError`` `request.predicate` and others; errors of `body`.
  public func aggregate(
    _ request: AggregateRequest,
    deadline: Duration? = nil,
    _ body: (inout RowReader) throws -> Void
  ) throws {
    _ = try stream(.aggregate(request), deadline, nil, nil, body)
  }
}
