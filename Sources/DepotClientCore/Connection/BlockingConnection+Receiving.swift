internal import DepotLinux
internal import DepotProtocol

/// The answers of calls, and the loss of the connection.
extension BlockingConnection {
  /// Waits for the end of a call.
  ///
  /// - Parameters:
  ///   - id: The number of the call.
  ///   - end: The time until which the service is waited for; no limit if `nil`.
  ///   - body: Takes a frame of a stream.
  /// - Returns: The object that is the result.
  /// - Throws: The ``DepotError`` that ended the call or the connection; errors of `body`.
  func receive(
    _ id: Int64,
    until end: UInt64? = nil,
    _ body: ((RowFrame) throws -> Void)? = nil
  ) throws -> JSONNode {
    var failure: (any Error)?
    while true {
      let part = try nextPart(of: id) { descriptor in try wait(for: descriptor, until: end) }
      switch part {
      case nil: try cancel(id)
      case .end(.success(let node)):
        if let failure { throw failure }
        return node
      case .end(.failure(let error)): throw failure ?? error
      case .frame(let frame) where failure == nil:
        do {
          try body?(frame)
        } catch {
          failure = error
          try cancel(id)
        }
      case .frame: continue
      }
    }
  }

  /// Waits until the connection can be read; returns `false` if the call has to be cancelled first.
  ///
  /// - Throws: ``DepotError`` `deadline.passed` if nothing comes until `end`, which ends the connection.
  private func wait(for descriptor: Descriptor, until end: UInt64?) throws(DepotError) -> Bool {
    guard interruption?.wait(for: descriptor, until: end) ?? true else { return false }
    guard let end, !descriptor.canRead(until: end) else { return true }
    descriptor.endConnection()
    throw lose(DepotError(.deadline, "No answer came before the deadline."))
  }

  /// The outcome of a call.
  enum CallPart {
    case frame(RowFrame)
    case end(Result<JSONNode, DepotError>)
  }

  /// Waits for the next part of a call, and keeps the parts of other calls meanwhile.
  ///
  /// - Parameters:
  ///   - id: The number of the call.
  ///   - wait: Waits until the connection can be read; returns whether to continue.
  /// - Returns: The part; `nil` if `wait` returned `false`.
  /// - Throws: The ``DepotError`` that ended the connection; errors of `wait`.
  func nextPart(
    of id: Int64,
    waiting wait: (Descriptor) throws -> Bool
  ) throws -> CallPart? {
    if let end = calls.early.removeValue(forKey: id) { return .end(end) }
    while true {
      guard let bytes = try losing({ () throws(DepotError) in try wire.next() }) else {
        guard try wait(wire.descriptor) else { return nil }
        try losing { () throws(DepotError) in try wire.read() }
        continue
      }
      let frame = try losing { () throws(DepotError) in try ServerFrame(bytes) }
      if case .failure(nil, let error) = frame { throw lose(error) }
      for outcome in calls.observed.take(frame) { outcome.notify() }
      switch frame {
      case .ok(id, let node): return .end(.success(node))
      case .failure(id, let error): return .end(.failure(error))
      case .ok(let other, let node): calls.early[other] = .success(node)
      case .failure(let other?, let error): calls.early[other] = .failure(error)
      case .next(let other, let names, let offset):
        let frame = RowFrame(bytes: bytes, offset: offset, columns: names)
        if other == id { return .frame(frame) }
        calls.streams[other]?.frames.append(frame)
      case .ping(let number): try send(.object(["pong": .int64(number)]))
      default: continue
      }
    }
  }

  /// Records an error of the connection itself; returns it with the effect of the calls under way.
  private func lose(_ error: DepotError) -> DepotError {
    var error = error
    // The outcome of writes under way is unknown; reads change nothing.
    error.effect = calls.leavesDoubt ? .unknown : .none
    calls.isLost = true
    for outcome in calls.observed.endAll(error) { outcome.notify() }
    return error
  }

  /// Calls `body`, which fails only with the connection.
  func losing<Result>(
    _ body: () throws(DepotError) -> Result
  ) throws(DepotError) -> Result {
    do throws(DepotError) {
      return try body()
    } catch {
      throw lose(error)
    }
  }
}
