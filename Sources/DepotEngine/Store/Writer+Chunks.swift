internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

extension Writer {
  /// Executes the next chunk of a write in its own transaction.
  ///
  /// It returns the outcome, which is on disk, or `nil` if there are more chunks.
  func runChunk(of write: inout ChunkedWrite) throws(SQLiteError) -> WriteOutcome? {
    do {
      return try advance(&write)
    } catch {
      return fail(write, refusal(try undo(error)))
    }
  }

  /// Ends a write with an error; its finished chunks stay.
  func fail(_ write: ChunkedWrite, _ error: DepotError) -> WriteOutcome {
    statistics.failedWrites += 1
    return write.request.outcome(.failure(write.error(error)))
  }

  private func advance(_ write: inout ChunkedWrite) throws(Failure) -> WriteOutcome? {
    var effect = WriteEffect()
    var next = write
    let result: WriteReply?
    do {
      try beginTransaction(for: write.request.control)
      result = try performChunk(of: &next, known: &write.progress, &effect)
    } catch let error as DepotError {
      try endOrFail()
      return fail(write, error)
    } catch {
      throw Failure(error)
    }
    if result != nil { effect.writes += 1 }
    try commit(&effect)
    write = next
    return result.map { write.request.outcome(.success($0)) }
  }

  /// Executes a chunk inside a transaction.
  ///
  /// It continues from the progress stored with the key, not the one in memory: the same request
  /// may have been sent again while the first one continues.
  private func performChunk(
    of write: inout ChunkedWrite,
    known: inout ChunkProgress,
    _ effect: inout WriteEffect
  ) throws -> WriteReply? {
    let request = write.request
    let hash =
      request.key == nil ? 0 : IdempotencyTable.hash(request.operation)
    let period = keyPeriod
    if let key = request.key {
      let (progress, result) = try outcomes.progress(of: key, hash: hash, in: period)
      if let result {
        effect.repeatedWrites += 1
        return WriteReply(.stored(result))
      }
      if let progress {
        write.progress = progress
        known = progress
      }
    }
    try request.control.check()
    var origin = TransactionOrigin(request)
    if origin.group == nil, !request.operation.isUndo {
      origin = origin.with(group: write.group, kind: origin.kind)
    }
    try recorder.begin(origin, catalog)
    let (start, before) = (Monotonic.now(), write.progress.done)
    let isLast = try applyChunk(request, of: write.nextRows, &write.progress, &effect)
    write.note(rows: write.progress.done - before, nanoseconds: Monotonic.now() - start)
    // There was only one chunk.
    if isLast, before == 0, !request.operation.isUndo { recorder.setGroup(request.group) }
    write.token = try recorder.finish() ?? write.token
    try request.control.check()
    guard isLast else {
      guard let key = request.key else { return nil }
      try outcomes.store(&write.progress, key: key, hash: hash, in: period)
      return nil
    }
    if let key = request.key {
      try outcomes.join(&write.progress, key: key, hash: hash, in: period)
    }
    let reply = WriteReply(content(of: write), token: write.token)
    if let key = request.key {
      try outcomes.finish(write.progress, reply.stored, key: key, hash: hash, in: period)
    }
    return reply
  }

  /// Returns the result of a finished write.
  private func content(of write: ChunkedWrite) -> WriteReply.Content {
    let (done, identifiers) = (write.progress.done, write.progress.identifiers)
    return switch write.request.operation {
    case .update(let request):
      .rows("updated", done, request.returnsIdentifiers ? identifiers : nil)
    case .delete(let request):
      .rows("deleted", done, request.returnsIdentifiers ? identifiers : nil)
    case .undo, .redo:
      .undone(
        UndoOutcome(identifiers, count: done, write.progress.conflicts, recorder.epoch.chain)
      )
    default: .empty
    }
  }
}
