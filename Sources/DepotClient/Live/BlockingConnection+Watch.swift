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
      isComplete: options.echoes,
      whole: WholeRowRequest(type, as: fetch)
    ) { row in
      try Model(from: &row)
    }
    var request = WatchRequest(.fetch(fetch), options)
    var restarts = WatchRestarts()
    var beginsAgain = true
    while beginsAgain {
      beginsAgain = false
      request.since = reader.token
      try watch(request) { bytes in
        guard let event = try receive(bytes, &reader, &restarts, &beginsAgain) else {
          return !beginsAgain
        }
        return try body(event, reader.rows)
      }
    }
  }

  /// Takes a frame of a watch, and reads the large values that its rows lack.
  ///
  /// A row that isn't in the store any more makes the watch begin again after the last event.
  private func receive<Model: Record>(
    _ bytes: [UInt8],
    _ reader: inout LiveReader<Model>,
    _ restarts: inout WatchRestarts,
    _ beginsAgain: inout Bool
  ) throws -> LiveEvent<Model>? {
    do {
      return try reader.receive(bytes)
    } catch let error as DepotError where error.isOfLength {
      if let rows = try wholeRows(of: bytes, reader) {
        restarts.end()
        return try reader.receive(bytes, with: rows)
      }
      try restarts.begin()
      reader.restart()
      beginsAgain = true
      return nil
    }
  }
}
