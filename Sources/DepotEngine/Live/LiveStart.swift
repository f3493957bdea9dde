internal import DepotProtocol
internal import DepotSQLite

/// How a client that watches rows gets to know those that there are.
struct LiveStart {
  let request: WatchRequest
  let read: LongRead

  /// Begins the stream: all rows, or only what a client has missed if that can be told.
  ///
  /// The connection is in a transaction then, for the schema that the snapshot has.
  func stream(on connection: Connection) throws -> any StreamRun {
    try connection.run("BEGIN")
    let catalog = try CatalogTables(connection: connection).catalog(orSame: read.catalog)
    if case .history(let history) = request.subject, let since = request.since {
      return try HistoryRun(
        history,
        watchedSince: since.sequence,
        without: read.live?.own,
        catalog,
        read.reply,
        on: connection
      ) { [read] _ in try read.check() }
    }
    guard case .fetch(let fetch) = request.subject else {
      return AnswerRun(snapshot: try answer(in: catalog, on: connection))
    }
    let plan = try watched("fetch") { () throws(DepotError) in try LivePlan(fetch, in: catalog) }
    if let since = request.since?.sequence, ResumeRun.isPossible(plan, in: catalog),
      let run = try ResumeRun(plan, read, catalog, since: since, on: connection)
    {
      return run
    }
    return try FetchRun(plan.stream, read.reply, on: connection)
  }

  /// Runs a query whose answer is a count or groups.
  private func answer(
    in catalog: Catalog,
    on connection: Connection
  ) throws -> LiveSnapshot {
    var snapshot = LiveSnapshot(token: try connection.historyHead())
    let value = try LiveValue(request.subject, in: catalog)
    if read.live?.keepsTotals == false { value.shared.keepsTotals = false }
    snapshot.answer = try value.answer(in: catalog, read.reply.int64, on: connection)
    return snapshot
  }
}

/// Compiles a read whose arguments are a member of those of `watch`, to which its errors point.
func watched<Result>(
  _ member: String,
  _ body: () throws(DepotError) -> Result
) throws(DepotError) -> Result {
  do {
    return try body()
  } catch {
    var error = error
    if let at = error.at, at.hasPrefix("/args") { error.at = "/args/" + member + at.dropFirst(5) }
    throw error
  }
}
