internal import DepotLinux
internal import DepotProtocol

/// Calls and streams of the client.
extension Client {
  /// Makes a call and waits for its outcome.
  ///
  /// If the task is cancelled, the call is cancelled on the service; its outcome is awaited all the
  /// same.
  func send(
    _ operation: Operation,
    deadline: Duration? = nil,
    key: String? = nil,
    author: String? = nil,
    group: String? = nil
  ) async throws -> JSONNode {
    try core.checkWrite(operation)
    var call = PendingCall(
      operation,
      deadline: deadline.map { Monotonic.deadline(after: $0.milliseconds) },
      key: operation.isWrite ? core.key(key) : key,
      pin: core.pin
    )
    call.author = author
    call.group = group
    let pending = call
    let ticket = core.update { state in state.table.reserve() }
    defer { if Task.isCancelled { core.forget(ticket) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { reply in
        core.update { state in
          if let error = state.refusal(of: ticket) {
            state.consequences.replies.append((reply, .failure(error)))
          } else {
            state.replies[ticket] = reply
            state.submit(pending, as: ticket)
          }
        }
      }
    } onCancel: {
      core.cancel(ticket)
    }
  }
}

extension ClientCore {
  /// - Throws: ``DepotError`` if an operation would change a snapshot, or an entity that is being
  ///   enumerated.
  func checkWrite(_ operation: Operation) throws(DepotError) {
    guard operation.isWrite else { return }
    if pin != nil { throw .readOnlySnapshot }
    if let refusal = update({ state in state.enumerations.refusal(of: operation) }) {
      throw refusal
    }
  }

  /// Returns the key of a write: the given one, or a new one if the options want keys.
  func key(_ key: String?) -> String? {
    options.usesKeys ? key ?? IdempotencyKey.make() : key
  }

  /// Makes a call and ignores its outcome.
  func post(_ operation: Operation) {
    update { state in
      guard state.closure == nil else { return }
      let ticket = state.table.reserve()
      state.submit(PendingCall(operation), as: ticket)
    }
  }

  /// Cancels a call that was made or is about to be.
  func cancel(_ ticket: ReplyTable.Ticket) {
    update { state in
      if state.replies[ticket] == nil, state.streams[ticket] == nil {
        state.cancelled.insert(ticket)
      } else {
        state.perform(state.table.cancel(ticket))
      }
    }
  }

  /// Forgets that a call was cancelled, since it is over.
  fileprivate func forget(_ ticket: ReplyTable.Ticket) {
    update { state in _ = state.cancelled.remove(ticket) }
  }
}

extension ClientCore {
  /// Begins a stream; nothing waits for it yet.
  func openStream(_ operation: Operation, deadline: Duration?) throws -> ReplyTable.Ticket {
    let window = options.window
    let call = PendingCall(
      operation,
      deadline: deadline.map { Monotonic.deadline(after: $0.milliseconds) },
      pin: pin,
      window: window
    )
    return try update { state -> Result<ReplyTable.Ticket, any Error> in
      let ticket = state.table.reserve()
      if let error = state.refusal(of: ticket) { return .failure(error) }
      state.streams[ticket] = RowStream(window: window, isWatch: call.queueKind == .watch)
      state.submit(call, as: ticket)
      return .success(ticket)
    }.get()
  }

  /// Waits for the next frame of a stream, or its end.
  func nextFrame(_ ticket: ReplyTable.Ticket) async throws -> StreamPart {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { consumer in
        update { state in
          guard var stream = state.streams[ticket] else {
            let ended = RowStream.Delivery(consumer: consumer, result: .success(.end(nil)))
            return state.consequences.deliveries.append(ended)
          }
          state.streams[ticket] = nil
          if let delivery = stream.wait(consumer) { state.consequences.deliveries.append(delivery) }
          let credit = stream.takeCredit()
          state.streams[ticket] = stream
          if let credit { state.perform(state.table.more(ticket, credit)) }
        }
      }
    } onCancel: {
      cancelStream(ticket)
    }
  }

  private func cancelStream(_ ticket: ReplyTable.Ticket) {
    update { state in state.perform(state.table.cancel(ticket)) }
  }

  /// Cancels a stream that isn't read any more; nothing happens if it is over.
  func closeStream(_ ticket: ReplyTable.Ticket) {
    update { state in
      state.streams[ticket] = nil
      state.perform(state.table.cancel(ticket))
    }
  }
}

extension ClientCore.State {
  /// Returns why a call can't be made.
  fileprivate mutating func refusal(of ticket: ReplyTable.Ticket) -> (any Error)? {
    if cancelled.remove(ticket) != nil { return CancellationError() }
    // The thread that would serve the call is in the process that made the client.
    return process == Process.identifier ? closure : DepotError.otherProcess
  }

  fileprivate mutating func submit(_ call: PendingCall, as ticket: ReplyTable.Ticket) {
    observed.begin(ticket, call.operation)
    let expiry = table.nextExpiry
    perform(table.submit(call, as: ticket, now: Monotonic.now()))
    if table.nextExpiry != expiry || isIdle { consequences.mustWake = true }
  }
}
