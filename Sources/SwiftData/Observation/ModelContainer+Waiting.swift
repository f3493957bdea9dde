internal import DepotProtocol
internal import Dispatch

/// Waits for the saves of other processes.
extension ModelContainer {
  /// Returns the last transaction of each store; blocks.
  ///
  /// A save that has returned before this is called, in any process, is no later.
  ///
  /// - Returns: The token, to be sent to another process or to be compared.
  /// - Throws: ``SwiftDataError/storeFailure`` if nothing answers.
  public final func currentHistoryToken() throws -> DefaultHistoryToken {
    var token = DefaultHistoryToken(tokenValue: [:])
    for (store, moment) in try lastTransactions() { token[store] = moment }
    return token
  }

  /// Waits until the contexts of this container have merged all saves up to a transaction.
  ///
  /// One process saves, and then sends a message to another one:
  ///
  /// ```swift
  /// order.isPaid = true
  /// try context.save()
  /// channel.send(try JSONEncoder().encode(container.currentHistoryToken()))
  /// ```
  ///
  /// The message may arrive before the change does, so the other process waits for the change:
  ///
  /// ```swift
  /// let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: message)
  /// try await container.waitUntilMerged(through: token)
  /// print(order.isPaid)  // true
  /// ```
  ///
  /// Without a token it waits for all that is saved when it is called, so that a message needs none.
  ///
  /// Contexts that merge automatically have merged then, each on its actor, and their results and history
  /// observers have the changes. Contexts without an actor merge when they are used next. Contexts that
  /// don't merge have to fetch.
  ///
  /// - Parameters:
  ///   - token: The transaction; the last one of each store if `nil`. Stores that this container
  ///     lacks don't count.
  ///   - limit: The longest time to wait.
  /// - Throws: ``SwiftDataError/mergeTimeout`` if the limit was reached: the transaction hasn't arrived, or
  ///   an actor was busy all the time. ``SwiftDataError/historyTokenExpired`` if the token is of
  ///   no store of this container, ``SwiftDataError/storeFailure`` if nothing answers without a token,
  ///   `CancellationError` if the task was cancelled.
  public final func waitUntilMerged(
    through token: DefaultHistoryToken? = nil,
    within limit: Duration = .seconds(30)
  ) async throws {
    let end = ContinuousClock.now + limit
    let moments: [String: DepotProtocol.HistoryToken]
    if let token {
      moments = try self.moments(of: token)
    } else {
      moments = try await lastMoments()
    }
    let remote = core.remote
    try await poll(
      until: end,
      "The transaction hasn't arrived in \(limit).",
      "Wait longer, and look whether the service of the store answers."
    ) { remote.hasHandedOut(moments) }
    let rest = remote.finishHandling()
    try await poll(
      until: end,
      "An actor was too busy for \(limit) to merge the saves of others into its context.",
      "Wait longer, and block neither the main actor nor a model actor."
    ) { rest.isZero }
  }

  /// Returns the moments of the container's stores in a token.
  private func moments(
    of token: DefaultHistoryToken
  ) throws -> [String: DepotProtocol.HistoryToken] {
    var moments: [String: DepotProtocol.HistoryToken] = [:]
    for store in stores where store.isShared { moments[store.identifier] = token[store.identifier] }
    guard moments.isEmpty, token.tokenValue?.isEmpty == false else { return moments }
    throw SwiftDataError(
      .historyTokenExpired,
      "The token is of \(token.storeIdentifier), which is no store of this container.",
      hint: "Wait for a token of a store that both programs have."
    )
  }

  /// Asks for the last transactions on a thread that may block.
  private func lastMoments() async throws -> [String: DepotProtocol.HistoryToken] {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try self.lastTransactions() })
      }
    }
  }

  private func poll(
    until end: ContinuousClock.Instant,
    _ message: String,
    _ hint: String,
    _ condition: () -> Bool
  ) async throws {
    while !condition() {
      guard ContinuousClock.now < end else {
        throw SwiftDataError(.mergeTimeout, message, hint: hint)
      }
      try await Task.sleep(for: .milliseconds(1))
    }
  }
}
