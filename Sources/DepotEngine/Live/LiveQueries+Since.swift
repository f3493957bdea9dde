internal import DepotProtocol
internal import DepotSQLite

/// Checks the tokens from which clients want to continue.
extension LiveQueries {
  /// Checks that a token is of this store, even if only another service has its transaction yet.
  private func checkToken(_ since: HistoryToken) throws(DepotError) {
    let check = { [self] () throws(DepotError) in
      let head = try reading { () throws(SQLiteError) in try openConnection?.historyHead() ?? 0 }
      try store.epochs.check(since, head: max(head, known))
    }
    do throws(DepotError) {
      try check()
    } catch {
      guard store.waitForForeignCommits() else { throw error }
      try check()
    }
  }

  /// Checks that the history has everything that a client has missed.
  ///
  /// A client with a token of another copy of the store starts from the beginning, unless it asked
  /// for an error.
  func checkSince(_ query: LiveQuery) throws {
    let request = query.watch.request
    guard let since = request.since else { return }
    do throws(DepotError) {
      try checkToken(since)
    } catch {
      guard request.onExpired == .snapshot else {
        throw error.details(of: try HistoryBounds(on: connection())).at("/args/since")
      }
      query.isForgotten = true
      return
    }
    guard request.onExpired == .error else { return }
    guard try connection().number(.historyPurged) <= since.sequence else {
      throw DepotError(.historyExpired, "The history no longer reaches back to \(since).")
        .hint("Watch without \"since\", or with \"onExpired\":\"snapshot\".")
        .details(of: try HistoryBounds(on: connection())).at("/args/since")
    }
  }
}
