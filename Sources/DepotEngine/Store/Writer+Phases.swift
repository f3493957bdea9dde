internal import DepotProtocol
internal import DepotSQLite

extension Writer {
  /// Executes one store's phase of a request that spans several stores.
  func runPhase(_ request: WriteRequest) throws(SQLiteError) -> WriteOutcome {
    do {
      switch request.phase {
      case .whole, .prepare: return try prepare(request)
      case .commit:
        guard var effect = prepared else {
          return request.outcome(.failure(DepotError(.usage, "Nothing was prepared.")))
        }
        prepared = nil
        try commit(&effect)
      case .undo:
        prepared = nil
        try endOrFail()
      }
      return request.outcome(.success(.empty))
    } catch {
      let error = try undo(error)
      statistics.failedWrites += 1
      return request.outcome(.failure(refusal(error)))
    }
  }

  /// Executes a request and leaves its transaction open, unless it fails.
  private func prepare(_ request: WriteRequest) throws(Failure) -> WriteOutcome {
    var effect = WriteEffect()
    let result: Result<WriteReply, DepotError>
    do {
      try beginTransaction(for: request.control)
      result = try runAlone(request, hasCompany: false, &effect)
    } catch {
      throw Failure(error)
    }
    if case .success = result {
      prepared = effect
    } else {
      try endOrFail()
      statistics.failedWrites += 1
    }
    return request.outcome(result)
  }

  /// Rolls the prepared transaction back, when no decision about it can arrive.
  func undoPrepared() throws(SQLiteError) {
    guard prepared != nil else { return }
    prepared = nil
    recorder.discardTransaction()
    try endTransaction()
  }
}
