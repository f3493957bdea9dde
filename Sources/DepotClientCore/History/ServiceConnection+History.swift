public import DepotProtocol

extension Client {
  /// Returns transactions of the store's history.
  ///
  /// - Parameters:
  ///   - request: Which transactions.
  ///   - deadline: How long the whole read may take at most.
  /// - Returns: The sequence. Nothing is sent before its first element is asked for.
  public func history(
    _ request: HistoryRequest = HistoryRequest(),
    deadline: Duration? = nil
  ) -> HistoryTransactions {
    HistoryTransactions(
      frames: FetchedFrames(client: self, operation: .history(request), deadline: deadline)
    )
  }
}

extension ServiceConnection {
  /// Returns how much history the store keeps, and who reads it.
  @Blocking
  public func historyStatus() async throws -> HistoryStatus where Self == Client {
    try HistoryStatus(await self.send(.historyStatus))
  }

  /// Returns an earlier state of a row.
  ///
  /// - Throws: ``DepotError`` `history.expired` if the history doesn't reach back so far,
  ///   `notfound.object` if it knows of no such row.
  @Blocking
  public func row(
    _ entity: String,
    _ identifier: Int64,
    at token: HistoryToken
  ) async throws -> PastRow where Self == Client {
    let request = HistoryRowRequest(entity: entity, identifier: identifier, at: token)
    return try PastRow(await self.send(.historyRow(request)))
  }

  /// Returns who last changed the properties of a row, as far as the history reaches back.
  ///
  /// - Throws: ``DepotError`` `notfound.object` if the history knows of no such row.
  @Blocking
  public func blame(_ entity: String, _ identifier: Int64) async throws -> RowBlame
  where Self == Client {
    let request = HistoryRowRequest(entity: entity, identifier: identifier)
    return try RowBlame(await self.send(.historyRow(request)))
  }

  /// Deletes the history before a token or a date; the transaction of a given token is kept.
  ///
  /// - Returns: How many transactions that were.
  @Blocking
  @discardableResult
  public func deleteHistory(before moment: HistoryMoment) async throws -> Int where Self == Client {
    try await self.send(.deleteHistory(before: moment)).count("deleted")
  }

  /// Records the position of a consumer; the history after it is kept for longer.
  ///
  /// - Throws: ``DepotError`` `history.expired` if the history after it isn't kept any more.
  @Blocking
  public func acknowledgeHistory(_ token: HistoryToken, consumer: String) async throws
  where Self == Client {
    let position = HistoryPosition(consumer: consumer, token: token)
    _ = try await self.send(.acknowledgeHistory(position))
  }

  /// Forgets a consumer.
  ///
  /// - Throws: ``DepotError`` `request.usage` if there is none of that name.
  @Blocking
  public func forgetHistoryConsumer(_ name: String) async throws where Self == Client {
    _ = try await self.send(.forgetConsumer(name))
  }

  /// Undoes transactions in one transaction that is on disk when this returns.
  ///
  /// - Parameters:
  ///   - target: The transactions.
  ///   - policy: The treatment of values that were changed since.
  ///   - isWhole: Whether all of the transaction's group is undone, in as many transactions as
  ///     needed; the ones before an error stay undone then.
  ///   - key: An idempotency key.
  /// - Returns: The transactions that were undone, and the policy's decisions.
  /// - Throws: ``DepotError`` `conflict.merge` if something was changed since and the policy is
  ///   ``MergePolicy/error``, `history.already_undone`, `history.nothing`, `history.no_values`, and
  ///   others; then nothing is undone.
  @Blocking
  @discardableResult
  public func undo(
    _ target: UndoRequest.Target = .last,
    policy: MergePolicy = .error,
    whole isWhole: Bool = false,
    key: String? = nil
  ) async throws -> UndoResult where Self == Client {
    try UndoResult(
      await self.send(.undo(UndoRequest(target, policy: policy, isWhole: isWhole)), key: key)
    )
  }

  /// Redoes undone transactions, in one transaction that is on disk when this returns.
  ///
  /// - Parameters:
  ///   - target: The transactions, named by their undo or by themselves.
  ///   - policy: The treatment of values that were changed since.
  ///   - isWhole: Whether all of the transaction's group is done again, as for an undo.
  ///   - key: An idempotency key.
  /// - Returns: The transactions that were undone, and the policy's decisions.
  /// - Throws: ``DepotError`` as `undo(_:policy:whole:key:)` does.
  @Blocking
  @discardableResult
  public func redo(
    _ target: UndoRequest.Target = .last,
    policy: MergePolicy = .error,
    whole isWhole: Bool = false,
    key: String? = nil
  ) async throws -> UndoResult where Self == Client {
    try UndoResult(
      await self.send(.redo(UndoRequest(target, policy: policy, isWhole: isWhole)), key: key)
    )
  }
}
