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
      guard isDryRun else { return .schema(try definition.run(&effect), nil) }
      let (result, report) = try definition.rehearse(&effect)
      return .schema(result, report)
    case .beginMigration(let migration):
      return .copied(
        try MigrationCopy(writer: self, request: migration, control: control).make()
      )
    case .commitMigration:
      let schema = try MigrationEnd(writer: self, control: control).run(&effect)
      return .migrated(schema.fingerprint, schema.schema.version)
    case .deleteHistory, .acknowledgeHistory, .forgetConsumer:
      return try keepHistory(request.operation)
    case .undo(let undo), .redo(let undo):
      var run = UndoRun(writer: self, entities: entities, request: undo, write: request)
      if case .redo = request.operation { run.isRedo = true }
      return .undone(try run.run(&effect))
    default:
      let session = ChangeSession(entities, control, client: request.connection)
      return try session.apply(request.operation, &effect)
    }
  }

  /// Executes a request about the history itself.
  private func keepHistory(_ operation: Operation) throws -> WriteReply.Content {
    let bounds = try HistoryBounds(on: connection)
    switch operation {
    case .deleteHistory(let moment):
      let end: Int64
      if case .token(let token) = moment {
        // The transaction of the token stays, so the purge ends before it.
        let last = token.advanced(by: -1)
        try bounds.checkOrigin(last, at: "/args/before")
        end = max(last.sequence, bounds.purged)
      } else {
        end = try bounds.sequence(of: moment, at: "/args/before", on: connection)
      }
      let count = try HistoryPurge(tables, catalog).forget(through: end)
      if count > 0 { hasForgottenHistory = true }
      let after = try HistoryBounds(on: connection)
      return .purged(count, oldest: after.oldest.map(after.token))
    case .acknowledgeHistory(let position):
      try bounds.check(position.token, at: "/args/token")
      try HistoryConsumers(connection: connection).set(
        position.consumer,
        position.token.sequence,
        at: epoch.date(epoch.now())
      )
      return .acknowledged(position)
    case .forgetConsumer(let name):
      guard try HistoryConsumers(connection: connection).forget(name) else {
        throw DepotError(.usage, "The history has no consumer \(name.quoted).")
          .hint("See history.status.").at("/args/consumer")
      }
      return .empty
    default:
      throw DepotError(.bug, "\(operation.name) isn't about the history.")
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
