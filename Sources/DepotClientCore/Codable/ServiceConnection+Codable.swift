public import DepotProtocol

extension Client {
  /// Returns rows as values of a `Codable` type, whose keys are the names of the attributes.
  ///
  /// The keys `$id` and `$version` mean the row's identifier and version. ``Record`` is several
  /// times faster, and has texts and data of more than `Limits.valueBytes` too; here they are an error.
  ///
  /// - Parameters:
  ///   - type: The type, whose properties are strings, numbers, booleans, dates, UUIDs, data,
  ///     decimals, URLs, raw-value enumerations, identifiers, lists of these, and optionals. A
  ///     property with keys of its own is a composite, or JSON, as a dictionary is.
  ///   - request: The rows and their order.
  ///   - deadline: How long to wait at most.
  /// - Returns: The values in order.
  /// - Throws: ``DepotError`` `request.type` if a value doesn't fit.
  @concurrent
  public func fetch<Content: Decodable & Sendable>(
    decoding type: Content.Type,
    _ request: FetchRequest,
    deadline: Duration? = nil
  ) async throws -> [Content] {
    var request = request
    request.namesColumns = true
    var decoding = RowsDecoding<Content>()
    for try await frame in fetchFrames(request, deadline: deadline) {
      if let columns = frame.columns { decoding.begin(columns) }
      try frame.forEachRow { try decoding.append(&$0) }
    }
    return decoding.contents
  }

  /// Inserts values of `Codable` types as one transaction that is on disk when this returns.
  ///
  /// The attributes that no value encodes get their defaults; one that only some encode is null in
  /// the others. The keys `$id` and `$version` are left out.
  ///
  /// - Returns: The identifiers of the rows, in order.
  /// - Throws: ``DepotError`` `request.type` if a value has no keys, and errors of inserting rows.
  @concurrent
  @discardableResult
  public func insert(
    encoding contents: [some Encodable & Sendable],
    into entity: String,
    onConflict: InsertRequest.OnConflict = .error
  ) async throws -> [Int64] {
    let request = try InsertRequest(encoding: contents, into: entity, onConflict: onConflict)
    return try await insert(request).identifiers.compactMap { $0 }
  }
}

extension BlockingConnection {
  /// Fetches values like ``Client/fetch(decoding:_:deadline:)``.
  public func fetch<Content: Decodable>(
    decoding type: Content.Type,
    _ request: FetchRequest,
    deadline: Duration? = nil
  ) throws -> [Content] {
    var request = request
    request.namesColumns = true
    var decoding = RowsDecoding<Content>()
    let columns: ([String]) -> Void = { decoding.begin($0) }
    try fetch(request, deadline: deadline, columns: columns) { try decoding.append(&$0) }
    return decoding.contents
  }

  /// Inserts values like ``Client/insert(encoding:into:onConflict:)``.
  @discardableResult
  public func insert(
    encoding contents: [some Encodable],
    into entity: String,
    onConflict: InsertRequest.OnConflict = .error
  ) throws -> [Int64] {
    try insert(InsertRequest(encoding: contents, into: entity, onConflict: onConflict))
      .identifiers.compactMap { $0 }
  }
}
