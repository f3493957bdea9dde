package import DepotLinux
public import DepotProtocol
public import FoundationEssentials
public import FoundationInternationalization

extension BlockingConnection {
  /// How many frames of a watch may wait for this program.
  private static var watchWindow: Int { 8 }

  /// Watches the records that satisfy a predicate: calls `body` with all of them, and then with each
  /// change, until it says to stop or the ``disconnector`` ends the connection.
  ///
  /// ```swift
  /// try connection.watch(Package.self) { event, packages in
  ///   print(packages?.count ?? 0)
  ///   return true
  /// }
  /// ```
  ///
  /// The connection can't be used for anything else meanwhile. When it is lost, this fails; go on with
  /// another connection and the rows that `body` had last.
  ///
  /// - Parameters:
  ///   - type: The record.
  ///   - predicate: What the records must satisfy; all of them if `nil`.
  ///   - sort: The properties to sort by, the most important first.
  ///   - limit: How many records to watch at most.
  ///   - offset: How many records to leave out at the beginning.
  ///   - prefetch: The relationships whose rows are to come along.
  ///   - rows: The rows of an earlier watch of the same query to go on from.
  ///   - options: How to behave.
  ///   - body: What to do about an event, with the rows as they are after it; returns whether to go on.
  /// - Throws: ``DepotError`` `unavailable.disconnected` when the connection is lost,
  ///   `request.predicate`, `limit.watch_rows`, and others, or what `body` throws.
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

  /// Watches how many records satisfy a predicate, until `body` says to stop.
  ///
  /// - Throws: ``DepotError`` `unavailable.disconnected` when the connection is lost,
  ///   `request.predicate`, and others, or what `body` throws.
  public func watchCount<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    options: WatchOptions = WatchOptions(),
    _ body: (LiveAnswer<Int>) throws -> Bool
  ) throws {
    let count = try CountRequest(type, where: predicate)
    var reader = AnswerReader.count
    try watch(WatchRequest(.count(count), options)) { bytes in
      try reader.receive(bytes).map(body) ?? true
    }
  }

  /// Waits until every commit that is done was told to the watches of this connection.
  ///
  /// - Returns: The newest moment of each of the container's stores in which something is watched.
  @discardableResult
  public func barrier() throws -> [HistoryToken] {
    var reader = try JSONObjectReader(call(.barrier))
    return try reader.historyTokens("tokens")
  }

  /// Watches something and hands on the frames as they come, until `body` or `wait` says to stop.
  ///
  /// After `wait` said so, the connection can't be used any more.
  ///
  /// - Parameters:
  ///   - request: What to watch, and from when on.
  ///   - wait: Waits until the connection can be read; returns whether to go on.
  ///   - body: What to do with a frame; returns whether to go on.
  /// - Throws: The ``DepotError`` of the service or that the connection was lost, or what the closures
  ///   throw.
  package func watch(
    _ request: WatchRequest,
    waiting wait: (Descriptor) throws -> Bool = { _ in true },
    frames body: ([UInt8]) throws -> Bool
  ) throws {
    do {
      try follow(request, wait, body)
    } catch let error as DepotError where error.code == .disconnected {
      guard disconnector.isDisconnected else { throw error }
    }
  }

  private func follow(
    _ request: WatchRequest,
    _ wait: (Descriptor) throws -> Bool,
    _ body: ([UInt8]) throws -> Bool
  ) throws {
    let call = Call(
      id: nextIdentifier,
      .watch(request),
      credit: Self.watchWindow,
      container: target
    )
    try use(isWrite: false) {
      let id = try send { $0.write(call) }
      var isCancelled = false
      var failure: (any Error)?
      func stop() throws {
        isCancelled = true
        try cancel(id)
      }
      var taken = 0
      while true {
        guard let bytes = try wire.receive({ try isCancelled || wait($0) }) else { return }
        switch try ServerFrame(bytes) {
        case .next(id, _, _) where !isCancelled:
          do {
            if try !body(bytes) { try stop() }
          } catch {
            failure = error
            try stop()
          }
          taken += 1
          guard taken * 2 >= Self.watchWindow, !isCancelled else { continue }
          try send(.object(["id": .int64(id), "more": .int64(Int64(taken))]))
          taken = 0
        case .ok(id, _), .failure(id, _):
          if let failure { throw failure }
          if isCancelled { return }
          if case .failure(_, let error) = try ServerFrame(bytes) { throw error }
          throw DepotError(.disconnected, "The service ended the watch.")
        case .failure(nil, let error): throw error
        case .ok(let other, let node): early[other] = .ok(id: other, node)
        case .failure(let other?, let error): early[other] = .failure(id: other, error)
        case .ping(let number): try send(.object(["pong": .int64(number)]))
        default: continue
        }
      }
    }
  }
}
