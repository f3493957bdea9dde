public import DepotClientCore
public import DepotProtocol
public import FoundationEssentials
public import FoundationInternationalization

/// Watching records, as sequences of events or as observable results.
extension Client {
  /// Watches the records that satisfy a predicate: first all of them, then each change.
  ///
  /// ```swift
  /// for try await packages in client.watch(Package.self, sortBy: [SortDescriptor(\.name)]).snapshots {
  ///   show(packages.contents)
  /// }
  /// ```
  ///
  /// Commits that don't affect the records' values, membership, or order send nothing.
  ///
  /// - Parameters:
  ///   - type: The record.
  ///   - predicate: The condition of the records; all of them if `nil`.
  ///   - sort: The properties to sort by, the most important first.
  ///   - limit: How many records to watch at most.
  ///   - offset: How many records to leave out at the beginning.
  ///   - prefetch: The relationships whose rows are prefetched.
  ///   - rows: The rows of an earlier watch of the same query to continue from; it then begins with
  ///     the changes since.
  ///   - options: How to behave.
  /// - Returns: The sequence of events. Its first element throws `request.predicate` if the service
  ///   can't evaluate the predicate or the order, `limit.watch_rows` if there are more than 100,000
  ///   rows.
  public func watch<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    limit: Int? = nil,
    offset: Int = 0,
    prefetch: [any PartialKeyPath<Model> & Sendable] = [],
    resuming rows: LiveRows<Model>? = nil,
    options: WatchOptions = WatchOptions()
  ) -> WatchedRecords<Model> {
    watch(options, from: rows) { () throws(DepotError) in
      try FetchRequest(
        type,
        where: predicate,
        sortBy: sort,
        limit: limit,
        offset: offset,
        prefetch: prefetch
      )
    }
  }

  /// Watches records that satisfy a predicate from a token on, for a caller that has the rows.
  ///
  /// It begins with ``LiveEvent/resumed(_:)``, or with a snapshot if the history isn't kept that
  /// far back.
  public func watch<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    limit: Int? = nil,
    offset: Int = 0,
    since token: HistoryToken,
    options: WatchOptions = WatchOptions()
  ) -> WatchedRecords<Model> {
    watch(options, since: token) { () throws(DepotError) in
      try FetchRequest(type, where: predicate, sortBy: sort, limit: limit, offset: offset)
    }
  }

  /// Watches the records with these identifiers, including records that don't exist yet.
  public func watch<Model: Record>(
    _ identifiers: [Identifier<Model>],
    options: WatchOptions = WatchOptions()
  ) -> WatchedRecords<Model> {
    watch(options) {
      FetchRequest(
        entity: Model.entity,
        predicate: .identifiers(identifiers.map(\.value)),
        select: Model.attributes.names,
        namesColumns: false
      )
    }
  }

  /// Watches which records satisfy a predicate, but not their values.
  public func watchIdentifiers<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    limit: Int? = nil,
    offset: Int = 0,
    options: WatchOptions = WatchOptions()
  ) -> WatchedRows<Identifier<Model>> {
    let request = Result { () throws(DepotError) in
      var fetch = try FetchRequest(
        type,
        where: predicate,
        sortBy: sort,
        limit: limit,
        offset: offset
      )
      fetch.select = []
      return WatchRequest(.fetch(fetch), options)
    }
    let reader = LiveReader(RowReading(), isComplete: options.echoes) { row in
      Identifier<Model>(row.identifier)
    }
    return WatchedRows(client: self, request: request, reader: reader)
  }

  private func watch<Model: Record>(
    _ options: WatchOptions,
    from rows: LiveRows<Model>? = nil,
    since token: HistoryToken? = nil,
    _ request: () throws(DepotError) -> FetchRequest
  ) -> WatchedRecords<Model> {
    let request = Result(catching: request)
    let fetch = try? request.get()
    return WatchedRows(
      client: self,
      request: request.map { WatchRequest(.fetch($0), options) },
      reader: LiveReader(
        fetch.map { RowReading(.fetch($0)) } ?? RowReading(),
        from: rows,
        since: token,
        isComplete: options.echoes,
        whole: fetch.map { WholeRowRequest(Model.self, as: $0) }
      ) {
        try Model(from: &$0)
      }
    )
  }
}

extension Client {
  /// Watches the records that satisfy a predicate as an object that changes and notifies observers.
  ///
  /// The changes are made on the caller's actor. The parameters are the same as for
  /// ``watch(_:where:sortBy:limit:offset:prefetch:resuming:options:)``.
  ///
  /// - Returns: The results, without rows until the first snapshot has come:
  ///   ``LiveResults/ready()`` waits for it.
  public func live<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    limit: Int? = nil,
    offset: Int = 0,
    prefetch: [any PartialKeyPath<Model> & Sendable] = [],
    options: WatchOptions = WatchOptions(),
    isolation: isolated (any Actor)? = #isolation
  ) -> LiveResults<Model> {
    var options = options
    options.echoes = true
    let events = watch(
      type,
      where: predicate,
      sortBy: sort,
      limit: limit,
      offset: offset,
      prefetch: prefetch,
      options: options
    )
    return LiveResults.follow(events, isolation: isolation)
  }
}
