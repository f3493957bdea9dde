internal import DepotProtocol
internal import DepotSQLite

/// How a client that watches rows gets to know those that there are.
struct LiveStart {
  let request: WatchRequest
  let read: LongRead

  init(_ request: WatchRequest, _ read: LongRead) {
    self.request = request
    self.read = read
  }

  /// Begins the stream: all rows, or only what a client has missed if that can be told.
  ///
  /// The connection is in a transaction then, for the schema that the snapshot has.
  func stream(on connection: Connection) throws(ReadEnd) -> StreamRun {
    let catalog: Catalog
    do {
      try connection.run("BEGIN")
      catalog = try CatalogTables(connection: connection).catalog(orSame: read.catalog)
    } catch {
      throw ReadEnd(error)
    }
    if case .history(let history) = request.subject, let since = request.since {
      return .history(
        try HistoryRun(
          watched: history,
          since: since.sequence,
          without: read.live?.own,
          catalog,
          read.reply,
          on: connection
        ) { [read] _ in try read.check() }
      )
    }
    guard case .fetch(let fetch) = request.subject else {
      return .answer(try answer(in: catalog, on: connection))
    }
    let plan: LivePlan
    do {
      plan = try LivePlan(fetch, in: catalog)
    } catch {
      throw .failed(error.ofWatched("fetch"))
    }
    if let since = request.since?.sequence, ResumeRun.isPossible(plan, in: catalog),
      let run = try ResumeRun(plan, read, catalog, since: since, on: connection)
    {
      return .resume(run)
    }
    return .rows(try FetchRun(plan.stream, read.reply, on: connection))
  }

  /// Runs a query whose answer is a count or groups.
  private func answer(
    in catalog: Catalog,
    on connection: Connection
  ) throws(ReadEnd) -> LiveSnapshot {
    var snapshot = LiveSnapshot(token: try connection.historyHead())
    do {
      var value = try LiveValue(request.subject, in: catalog)
      if read.live?.keepsTotals == false { value.keepsTotals = false }
      snapshot.answer = try value.answer(in: catalog, read.reply.int64, on: connection)
    } catch {
      throw ReadEnd(error)
    }
    return snapshot
  }
}

extension DepotError {
  /// Points to the arguments of a read that are a member of those of `watch`.
  func ofWatched(_ member: String) -> DepotError {
    guard let at, at.hasPrefix("/args") else { return self }
    var copy = self
    copy.at = "/args/" + member + at.dropFirst(5)
    return copy
  }
}
