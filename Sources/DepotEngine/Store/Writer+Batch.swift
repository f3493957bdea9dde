internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// Transactions of several requests (group commit), and their failures.
extension Writer {
  /// Runs a request and all requests from `next` in one transaction (group commit).
  ///
  /// If a request fails, the others still succeed.
  ///
  /// - Returns: The outcomes, which are on disk.
  /// - Throws: ``SQLiteError`` if the content of the disk is now unknown.
  func run(
    _ first: WriteRequest,
    next: () -> WriteRequest? = { nil }
  ) throws(SQLiteError) -> [WriteOutcome] {
    var requests = [first]
    do {
      let outcomes = try runTogether(&requests, next)
      statistics.lastBatch = requests.count
      statistics.largestBatch = max(statistics.largestBatch, requests.count)
      return outcomes
    } catch {
      let error = try undo(error)
      if requests.count == 1 {
        statistics.failedWrites += 1
        return [first.outcome(.failure(refusal(error)))]
      }
    }
    // One request made the whole transaction fail, so each gets its own transaction.
    var outcomes: [WriteOutcome] = []
    for request in requests { outcomes += try run(request) }
    return outcomes
  }

  /// The failure of a transaction as a whole.
  enum Failure: Error {
    /// It is rolled back, or can be.
    case transaction(SQLiteError)
    case fatal(SQLiteError)

    init(_ error: any Error) {
      let error = error as? SQLiteError ?? SQLiteError(code: 1, message: "\(error)")
      self = error.kind == .broken ? .fatal(error) : .transaction(error)
    }
  }

  /// Rolls the transaction back after a failure, and returns the cause.
  ///
  /// - Throws: ``SQLiteError`` if the content of the disk is now unknown.
  func undo(_ failure: Failure) throws(SQLiteError) -> SQLiteError {
    // The next start decides whether the backup is needed.
    if case .fatal = failure { backup = nil }
    recorder.discardTransaction()
    try endTransaction()
    switch failure {
    case .fatal(let error): throw error
    case .transaction(let error): return error
    }
  }

  private func runTogether(
    _ requests: inout [WriteRequest],
    _ next: () -> WriteRequest?
  ) throws(Failure) -> [WriteOutcome] {
    var effect = WriteEffect()
    var outcomes: [WriteOutcome] = []
    do {
      try beginTransaction(for: requests[0].control)
      // If the first request fails, the transaction has nothing else to keep.
      outcomes.append(requests[0].outcome(try runAlone(requests[0], hasCompany: false, &effect)))
      // A changed schema is in use only after the commit.
      while outcomes[0].isSuccess, effect.catalog == nil, let request = next() {
        requests.append(request)
        outcomes.append(request.outcome(try runAlone(request, hasCompany: true, &effect)))
      }
    } catch {
      throw Failure(error)
    }
    if !outcomes[0].isSuccess {
      try endOrFail()
      statistics.failedWrites += 1
    } else if effect.isRehearsal {
      try endOrFail()
    } else {
      try commit(&effect)
    }
    return outcomes
  }

  func endOrFail() throws(Failure) {
    recorder.discardTransaction()
    do {
      try endTransaction()
    } catch {
      throw .fatal(error)
    }
  }

  /// Commits the transaction, and publishes its effect.
  func commit(_ effect: inout WriteEffect) throws(Failure) {
    let ceilings: [(IdentifierCounter, Int64)]
    do {
      ceilings = try finishTransaction(effect)
    } catch {
      throw Failure(error)
    }
    let start = Monotonic.now()
    do {
      try connection.commit()
    } catch {
      // These errors come before the commit is written; after any other it may be on disk.
      let isUndone = [.full, .readOnly, .busy, .refused].contains(error.kind)
      throw isUndone ? .transaction(error) : .fatal(error)
    }
    // A commit without changes doesn't release the cluster's lock on its own.
    commitTarget?.releaseWriteLock()
    statistics.addCommit(nanoseconds: Monotonic.now() - start)
    statistics.failedWrites += effect.failedWrites
    didCommit(effect, ceilings)
  }

  /// Runs one request, and undoes its changes if it fails.
  func runAlone(
    _ request: WriteRequest,
    hasCompany: Bool,
    _ effect: inout WriteEffect
  ) throws(SQLiteError) -> Result<WriteReply, DepotError> {
    if hasCompany { try connection.statement("SAVEPOINT request").runBound() }
    var attempt = effect
    let failure: DepotError
    do {
      if let predecessor = request.predecessor, !predecessor.hasSucceeded {
        throw DepotError(.cancelled, "The write before it failed, so that this one wasn't begun.")
      }
      let result = try perform(request, &attempt)
      // An error of SQLite that was ignored may have ended the transaction.
      guard connection.isInTransaction else {
        throw SQLiteError.broken("The transaction was ended by an error.")
      }
      if hasCompany { try connection.statement("RELEASE request").runBound() }
      effect = attempt
      effect.writes += 1
      return .success(result)
    } catch let error as DepotError {
      failure = error
    } catch let error as SQLiteError {
      guard error.kind != .broken, connection.isInTransaction else { throw error }
      failure = refusal(error)
    } catch {
      failure = DepotError(.bug, "\(error)")
    }
    effect.failedWrites += 1
    if hasCompany {
      try connection.statement("ROLLBACK TO request").runBound()
      try connection.statement("RELEASE request").runBound()
    }
    return .failure(failure)
  }

  /// Translates a failure of SQLite, and counts it if the disk is full.
  func refusal(_ error: SQLiteError) -> DepotError {
    if error.kind == .full, !error.isOfTemporaryFile { statistics.writesWithoutRoom += 1 }
    if error.kind == .refused, let reason = commitTarget?.reason { return reason }
    return DepotError(error)
  }
}
