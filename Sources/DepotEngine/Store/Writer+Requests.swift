internal import DepotProtocol
internal import DepotSQLite

/// The execution of requests by their operations.
extension Writer {
  /// Executes a request inside a transaction.
  func perform(_ request: WriteRequest, _ effect: inout WriteEffect) throws -> WriteReply {
    if request.endsConnection {
      endedUploads.append(request.connection)
      return .empty
    }
    try request.control.check()
    guard let key = request.key else { return try applyRecorded(request, &effect) }
    let hash = IdempotencyTable.hash(request.operation)
    let period = keyPeriod
    if let result = try outcomes.result(of: key, hash: hash, in: period) {
      effect.repeatedWrites += 1
      return WriteReply(.stored(result))
    }
    let reply = try applyRecorded(request, &effect)
    let stored = reply.stored
    try outcomes.store(stored, key: key, hash: hash, in: period)
    return request.reply.int64 == .number ? WriteReply(.stored(stored)) : reply
  }

  /// Executes a request, and adds its entry to the history.
  private func applyRecorded(
    _ request: WriteRequest,
    _ effect: inout WriteEffect
  ) throws -> WriteReply {
    let indexed = nextIndexedHistory
    let widening = request.widening(in: catalog)
    if let widening { try widen(widening) }
    do {
      let origin = TransactionOrigin(request)
      if origin.isSchemaChange {
        // The index uses the entity names of the history.
        nextIndexedHistory = try recorder.history.advanceIndexes(
          from: indexed,
          catalog,
          mustIndex: true
        )
      }
      try recorder.begin(origin, widening?.next ?? catalog)
      let content =
        if let widening {
          try apply(request, after: widening, &effect)
        } else {
          try apply(request, &effect)
        }
      try request.control.check()
      if origin.isSchemaChange, effect.catalog == nil || effect.isRehearsal {
        recorder.discard()
        return WriteReply(content)
      }
      let token = try recorder.finish()
      if let token, let next = effect.catalog, origin.isSchemaChange, try !tables.hasTarget() {
        try SchemaVersions(connection: connection).add(
          next,
          after: catalog,
          token.sequence,
          date: epoch.date(epoch.now()),
          author: origin.author,
          process: origin.process
        )
      }
      return WriteReply(content, token: token)
    } catch {
      nextIndexedHistory = indexed
      recorder.discard()
      throw error
    }
  }

  private func apply(
    _ request: WriteRequest,
    _ effect: inout WriteEffect
  ) throws -> WriteReply.Content {
    let control = request.control
    switch request.operation {
    case .defineSchema(let schema, let isDryRun, let options):
      let definition = SchemaDefinitionRun(self, schema, options, control)
      return .members(isDryRun ? try definition.rehearse(&effect) : try definition.run(&effect))
    case .beginMigration(let migration):
      return .members(
        try MigrationCopy(writer: self, request: migration, control: control).make()
      )
    case .commitMigration:
      return .members(try MigrationEnd(writer: self, control: control).run(&effect))
    case .deleteHistory, .acknowledgeHistory, .forgetConsumer:
      return .members(try keepHistory(request.operation))
    case .undo(let undo), .redo(let undo):
      var run = UndoRun(writer: self, entities: entities, request: undo, write: request)
      if case .redo = request.operation { run.isRedo = true }
      return .members(try run.run(&effect))
    default:
      let session = ChangeSession(entities, control, client: request.connection)
      return try session.apply(request.operation, &effect)
    }
  }

  /// Executes the next chunk of a request, with a limit of rows; returns whether it was the last.
  func applyChunk(
    _ request: WriteRequest,
    of size: Int,
    _ progress: inout ChunkProgress,
    _ effect: inout WriteEffect
  ) throws -> Bool {
    switch request.operation {
    case .undo(let undo): return try part(of: undo, request, &progress, &effect)
    case .redo(let undo): return try part(of: undo, isRedo: true, request, &progress, &effect)
    default: break
    }
    return try ChangeSession(entities, request.control).apply(
      chunkOf: request.operation,
      size: size,
      isRepeatable: request.key != nil,
      &progress,
      &effect
    )
  }

  private func part(
    of undo: UndoRequest,
    isRedo: Bool = false,
    _ request: WriteRequest,
    _ progress: inout ChunkProgress,
    _ effect: inout WriteEffect
  ) throws -> Bool {
    var run = UndoRun(writer: self, entities: entities, request: undo, write: request)
    run.isRedo = isRedo
    return try run.runPart(&progress, &effect)
  }
}
