public import DepotProtocol

extension BlockingConnection {
  /// Calls `body` with transactions of the store's history as they arrive.
  ///
  /// A transaction that is too large for a frame comes in several pieces with the same token.
  ///
  /// - Parameters:
  ///   - request: Which transactions.
  ///   - deadline: How long to wait at most.
  ///   - body: What to do with a transaction.
  /// - Returns: How many there were, and from where to go on.
  /// - Throws: ``DepotError`` `history.expired` if what is wanted is kept no more, `history.foreign` if
  ///   a token is of another store; what `body` throws.
  @discardableResult
  public func history(
    _ request: HistoryRequest = HistoryRequest(),
    deadline: Duration? = nil,
    _ body: (HistoryTransaction) throws -> Void
  ) throws -> HistoryEnd {
    try withoutActuallyEscaping(body) { body in
      try HistoryEnd(
        perform(.history(request), deadline: deadline) { frame in
          for transaction in try HistoryTransaction.list(inFrame: frame.bytes) {
            try body(transaction)
          }
        }
      )
    }
  }

  /// Returns how much history the store keeps, and who reads it.
  public func historyStatus() throws -> HistoryStatus {
    try HistoryStatus(call(.historyStatus))
  }

  /// Returns a row as it was.
  ///
  /// - Throws: ``DepotError`` `history.expired` if the history doesn't reach back so far,
  ///   `notfound.object` if it knows of no such row.
  public func row(
    _ entity: String,
    _ identifier: Int64,
    at token: HistoryToken
  ) throws -> PastRow {
    let request = HistoryRowRequest(entity: entity, identifier: identifier, at: token)
    return try PastRow(call(.historyRow(request)))
  }

  /// Returns who last changed the properties of a row, as far as the history reaches back.
  ///
  /// - Throws: ``DepotError`` `notfound.object` if the history knows of no such row.
  public func blame(_ entity: String, _ identifier: Int64) throws -> RowBlame {
    let request = HistoryRowRequest(entity: entity, identifier: identifier)
    return try RowBlame(call(.historyRow(request)))
  }

  /// Deletes the history before a moment; a transaction whose token is given is kept.
  ///
  /// - Returns: How many transactions that were.
  @discardableResult
  public func deleteHistory(before moment: HistoryMoment) throws -> Int {
    try call(.deleteHistory(before: moment)).count("deleted")
  }

  /// Notes up to where a consumer has read; what it hasn't read is kept for longer.
  ///
  /// - Throws: ``DepotError`` `history.expired` if what came then is kept no more.
  public func acknowledgeHistory(_ token: HistoryToken, consumer: String) throws {
    let position = HistoryPosition(consumer: consumer, token: token)
    _ = try call(.acknowledgeHistory(position))
  }

  /// Forgets a consumer.
  ///
  /// - Throws: ``DepotError`` `request.usage` if there is none of that name.
  public func forgetHistoryConsumer(_ name: String) throws {
    _ = try call(.forgetConsumer(name))
  }

  /// Undoes transactions in one transaction that is on disk when this returns.
  ///
  /// - Parameters:
  ///   - target: Which transactions.
  ///   - policy: What to do with what was changed since.
  ///   - key: An idempotency key.
  /// - Returns: What was undone, and what the policy decided.
  /// - Throws: ``DepotError`` `conflict.merge` if something was changed since and the policy is
  ///   ``MergePolicy/error``, `history.already_undone`, `history.nothing`, `history.no_values`, and
  ///   others; then nothing is undone.
  @discardableResult
  public func undo(
    _ target: UndoRequest.Target = .last,
    policy: MergePolicy = .error,
    key: String? = nil
  ) throws -> UndoResult {
    try UndoResult(call(.undo(UndoRequest(target, policy: policy)), key: key))
  }

  /// Does again what was undone, in one transaction that is on disk when this returns.
  ///
  /// - Parameters:
  ///   - target: Which transactions, by what undid them or by themselves.
  ///   - policy: What to do with what was changed since.
  ///   - key: An idempotency key.
  /// - Returns: What was undone, and what the policy decided.
  /// - Throws: ``DepotError`` as ``undo(_:policy:key:)`` does.
  @discardableResult
  public func redo(
    _ target: UndoRequest.Target = .last,
    policy: MergePolicy = .error,
    key: String? = nil
  ) throws -> UndoResult {
    try UndoResult(call(.redo(UndoRequest(target, policy: policy)), key: key))
  }
}
