internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

extension Writer {
  /// Does the next chunk of a write in a transaction of its own.
  ///
  /// - Returns: The outcome, which is on disk, or `nil` if there are more chunks.
  /// - Throws: ``SQLiteError`` after which nobody knows what is on disk: nothing may be answered.
  func runChunk(of write: inout ChunkedWrite) throws(SQLiteError) -> WriteOutcome? {
    do {
      return try advance(&write)
    } catch {
      recorder.discardTransaction()
      try endTransaction()
      switch error {
      case .fatal(let error): throw error
      case .transaction(let error): return fail(write, DepotError(error))
      }
    }
  }

  /// Ends a write; the chunks that are done stay so.
  func fail(_ write: ChunkedWrite, _ error: DepotError) -> WriteOutcome {
    statistics.failedWrites += 1
    return write.request.outcome(.failure(write.error(error)))
  }

  private func advance(_ write: inout ChunkedWrite) throws(Failure) -> WriteOutcome? {
    var effect = WriteEffect()
    var next = write
    let result: [UInt8]?
    do {
      try connection.statement("BEGIN IMMEDIATE").runBound()
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

  /// Does a chunk inside a transaction.
  ///
  /// What the key's row says counts, rather than what this write remembers: the same request may have
  /// been sent again while the first one goes on.
  ///
  /// - Returns: The result if it was the last chunk.
  private func performChunk(
    of write: inout ChunkedWrite,
    known: inout ChunkProgress,
    _ effect: inout WriteEffect
  ) throws -> [UInt8]? {
    let request = write.request
    let form = request.reply.int64
    let hash = request.key == nil ? 0 : OutcomeTable.hash(request.operation)
    if let key = request.key {
      let (progress, result) = try outcomes.progress(of: key, hash: hash)
      if let result {
        effect.repeatedWrites += 1
        return result.writingIdentifiers(as: form)
      }
      if let progress {
        write.progress = progress
        known = progress
      }
    }
    try request.control.check()
    try recorder.begin(TransactionOrigin(request), catalog)
    let isLast = try applyChunk(request, &write.progress, &effect)
    write.token = try recorder.finish() ?? write.token
    try request.control.check()
    guard isLast else {
      guard let key = request.key else { return nil }
      try outcomes.store(&write.progress, key: key, hash: hash, at: WallClock.now())
      return nil
    }
    if let key = request.key { try outcomes.join(&write.progress, key: key, hash: hash) }
    var json = JSONWriter()
    json.write(write.progress, for: request.operation)
    json.bytes = json.bytes.adding(write.token)
    if let key = request.key {
      try outcomes.finish(write.progress, json.bytes, key: key, hash: hash, at: WallClock.now())
    }
    return json.bytes.writingIdentifiers(as: form)
  }
}

extension JSONWriter {
  /// Writes the result of a chunked write.
  fileprivate mutating func write(_ progress: ChunkProgress, for operation: Operation) {
    let (name, returnsIdentifiers) =
      switch operation {
      case .update(let request): ("updated", request.returnsIdentifiers)
      case .delete(let request): ("deleted", request.returnsIdentifiers)
      default: ("", false)
      }
    raw("{")
    string(name)
    raw(":")
    integer(progress.done)
    if returnsIdentifiers {
      raw(",\"ids\":[")
      raw(progress.identifiers)
      raw("]")
    }
    raw("}")
  }
}
