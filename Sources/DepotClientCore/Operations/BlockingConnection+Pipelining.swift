public import DepotProtocol

/// Calls that are sent before the answer to the one before has come.
extension BlockingConnection {
  /// Sends a save without waiting for its answer, which ``finish(_:of:)`` takes before the connection is used for
  /// anything else; returns its id, or `nil` if it is too large to be sent at once.
  ///
  /// - Throws: ``DepotError`` if it can't be sent.
  package func begin(_ request: SaveRequest, key: String) throws -> Int64? {
    guard SaveParts(request) == nil, request.uploads.isEmpty else { return nil }
    return try begin(.save(request), key: key)
  }

  /// Sends rows, whose answer ``finishInsert(_:isLast:)`` takes before any call that isn't one of these.
  ///
  /// - Parameters:
  ///   - request: The rows; none is too large for it.
  ///   - key: The idempotency key.
  ///   - predecessor: The call that began before and isn't finished; the rows are only stored if that succeeds.
  /// - Returns: The id of the call.
  /// - Throws: ``DepotError`` if they can't be sent.
  package func begin(
    _ request: InsertRequest,
    key: String,
    after predecessor: Int64? = nil
  ) throws -> Int64 {
    for operation in request.uploads.joined() { _ = try send(operation) }
    return try begin(.insert(request), key: key, after: predecessor)
  }

  private func begin(
    _ operation: Operation,
    key: String,
    after predecessor: Int64? = nil
  ) throws -> Int64 {
    var call = try call(of: operation, key: key)
    call.predecessor = predecessor.map { Int($0) }
    try checkProcess()
    try interruption?.begin()
    if predecessor != nil { return try sendFrame(call) }
    beginUse(leavesDoubt: operation.leavesDoubt)
    do {
      return try sendFrame(call)
    } catch {
      return try endWrite { throw error }
    }
  }

  /// Waits for the answer to a save that was sent.
  ///
  /// - Throws: As a save does.
  package func finish(_ id: Int64, of request: SaveRequest) throws -> SaveResult {
    try endWrite { try SaveResult(receive(id)).named(for: request) }
  }

  /// Waits for the answer to rows that were sent, for the first call that isn't finished.
  ///
  /// - Parameters:
  ///   - id: The call.
  ///   - isLast: Whether no other was sent after it.
  /// - Returns: The outcome.
  /// - Throws: As an insertion does.
  package func finishInsert(_ id: Int64, isLast: Bool = true) throws -> InsertResult {
    try endWrite(isLast: isLast) { try InsertResult(receive(id)) }
  }

  /// Ends the call that ``begin(_:key:)`` began, with `body`.
  private func endWrite<Result>(
    isLast: Bool = true,
    _ body: () throws -> Result
  ) throws -> Result {
    defer { if isLast { calls.isInUse = false } }
    guard let interruption else { return try body() }
    return try interruption.end(body)
  }

  /// Inserts the rows of many requests, sending the next while the service stores the one before.
  ///
  /// Each request is a transaction of its own. After a failure no more are sent, but one that was
  /// under way may have been stored: `body` gets its result before the error is thrown.
  ///
  /// - Parameters:
  ///   - requests: The rows, at most 10,000 in each request.
  ///   - body: Takes the result of each request, in their order.
  /// - Throws: ``DepotError`` of the first request that failed; errors of `body`.
  public func insert(
    each requests: some Sequence<InsertRequest>,
    _ body: (InsertResult) throws -> Void = { _ in }
  ) throws {
    var requests = requests.makeIterator()
    try use(isWrite: true) {
      try pipeline {
        try requests.next().map { request in try call(of: .insert(request)) }
      } results: { node in
        try body(InsertResult(node))
      }
    }
  }

  /// Sends calls, each while the service works on the one before, until there are no more or one failed.
  ///
  /// - Parameters:
  ///   - end: The time until which answers are waited for; no limit if `nil`.
  ///   - next: Returns the next call; `nil` after the last.
  ///   - body: Takes the result of each call, in their order.
  /// - Throws: The first failure, once the calls under way are answered.
  func pipeline(
    until end: UInt64? = nil,
    _ next: () throws -> Call?,
    results body: (JSONNode) throws -> Void
  ) throws {
    var failure: (any Error)?
    var waiting: Int64?
    func finish() throws {
      guard let id = waiting else { return }
      waiting = nil
      do {
        try body(receive(id, until: end))
      } catch {
        if calls.isLost { throw error }
        failure = failure ?? error
      }
    }
    while failure == nil {
      do {
        guard let call = try next() else { break }
        let id = try sendFrame(call)
        try finish()
        waiting = id
      } catch {
        if calls.isLost { throw error }
        failure = error
      }
    }
    try finish()
    if let failure { throw failure }
  }
}
