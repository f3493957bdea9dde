public import DepotProtocol

extension BlockingConnection {
  /// Calls `body` with transactions of the store's history as they arrive.
  ///
  /// A transaction that is too large for a frame comes in several pieces with the same token.
  ///
  /// - Parameters:
  ///   - request: The transactions.
  ///   - deadline: How long to wait at most.
  ///   - body: Takes a transaction.
  /// - Returns: How many there were, and where the rest begins.
  /// - Throws: ``DepotError`` `history.expired` if the transactions aren't kept any more,
  ///   `history.foreign` if a token is of another store; errors of `body`.
  @discardableResult
  public func history(
    _ request: HistoryRequest = HistoryRequest(),
    deadline: Duration? = nil,
    _ body: (HistoryTransaction) throws -> Void
  ) throws -> HistoryEnd {
    try withoutActuallyEscaping(body) { body in
      try HistoryEnd(
        send(.history(request), deadline: deadline) { frame in
          for transaction in try HistoryTransaction.list(in: frame) {
            try body(transaction)
          }
        }
      )
    }
  }
}
