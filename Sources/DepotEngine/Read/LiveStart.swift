internal import DepotProtocol
internal import DepotSQLite

/// Sends the existing rows to a client that starts to watch.
struct LiveStart {
  let request: WatchRequest
  let read: LongRead

  /// Begins the stream: all rows, or only the missed changes if they can be determined.
  ///
  /// The connection is then in a transaction, whose schema the stream uses.
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
    let epochs = read.live?.epochs ?? EpochChain(store: "", [])
    if let since = request.since?.sequence, ResumeRun.isPossible(plan, in: catalog),
      let run = try ResumeRun(plan, read.reply, epochs, catalog, since: since, on: connection)
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
