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
        send(.history(request), deadline: deadline) { frame in
          for transaction in try HistoryTransaction.list(inFrame: frame.bytes) {
            try body(transaction)
          }
        }
      )
    }
  }

  /// Returns how much history the store keeps, and who reads it.
  public func historyStatus() throws -> HistoryStatus {
    try HistoryStatus(send(.historyStatus))
  }

  /// Does what ``Client/row(_:_:at:)`` does.
  public func row(
    _ entity: String,
    _ identifier: Int64,
    at token: HistoryToken
  ) throws -> PastRow {
    let request = HistoryRowRequest(entity: entity, identifier: identifier, at: token)
    return try PastRow(send(.historyRow(request)))
  }

  /// Does what ``Client/blame(_:_:)`` does.
  public func blame(_ entity: String, _ identifier: Int64) throws -> RowBlame {
    let request = HistoryRowRequest(entity: entity, identifier: identifier)
    return try RowBlame(send(.historyRow(request)))
  }

  /// Does what ``Client/deleteHistory(before:)`` does.
  @discardableResult
  public func deleteHistory(before moment: HistoryMoment) throws -> Int {
    try send(.deleteHistory(before: moment)).count("deleted")
  }

  /// Does what ``Client/acknowledgeHistory(_:consumer:)`` does.
  public func acknowledgeHistory(_ token: HistoryToken, consumer: String) throws {
    let position = HistoryPosition(consumer: consumer, token: token)
    _ = try send(.acknowledgeHistory(position))
  }

  /// Does what ``Client/forgetHistoryConsumer(_:)`` does.
  public func forgetHistoryConsumer(_ name: String) throws {
    _ = try send(.forgetConsumer(name))
  }

  /// Does what ``Client/undo(_:policy:key:)`` does.
  @discardableResult
  public func undo(
    _ target: UndoRequest.Target = .last,
    policy: MergePolicy = .error,
    key: String? = nil
  ) throws -> UndoResult {
    try UndoResult(send(.undo(UndoRequest(target, policy: policy)), key: key))
  }

  /// Does what ``Client/redo(_:policy:key:)`` does.
  @discardableResult
  public func redo(
    _ target: UndoRequest.Target = .last,
    policy: MergePolicy = .error,
    key: String? = nil
  ) throws -> UndoResult {
    try UndoResult(send(.redo(UndoRequest(target, policy: policy)), key: key))
  }
}
