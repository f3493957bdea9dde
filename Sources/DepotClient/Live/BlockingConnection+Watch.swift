public import DepotClientCore
internal import DepotProtocol
public import FoundationEssentials
public import FoundationInternationalization

extension BlockingConnection {
  /// Watches records like ``Client/watch(_:where:sortBy:limit:offset:prefetch:resuming:options:)``.
  ///
  /// `body` is called with all records, and then with each change, until it returns `false` or the
  /// ``disconnector`` ends the connection.
  ///
  /// ```swift
  /// try connection.watch(Package.self) { event, packages in
  ///   print(packages?.count ?? 0)
  ///   return true
  /// }
  /// ```
  ///
  /// The connection can't be used for anything else meanwhile. When it is lost, this fails;
  /// continue with another connection and the last rows of `body`.
  public func watch<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    limit: Int? = nil,
    offset: Int = 0,
    prefetch: [any PartialKeyPath<Model> & Sendable] = [],
    resuming rows: LiveRows<Model>? = nil,
    options: WatchOptions = WatchOptions(),
    _ body: (LiveEvent<Model>, LiveRows<Model>?) throws -> Bool
  ) throws {
    let fetch = try FetchRequest(
      type,
      where: predicate,
      sortBy: sort,
      limit: limit,
      offset: offset,
      prefetch: prefetch
    )
    var reader = LiveReader(
      RowReading(.fetch(fetch)),
      from: rows,
      isComplete: options.echoes
    ) { row in
      try Model(from: &row)
    }
    var request = WatchRequest(.fetch(fetch), options)
    request.since = reader.token
    try watch(request) { bytes in
      guard let event = try reader.receive(bytes) else { return true }
      return try body(event, reader.rows)
    }
  }
}
