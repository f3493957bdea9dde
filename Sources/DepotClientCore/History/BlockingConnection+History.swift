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
}
