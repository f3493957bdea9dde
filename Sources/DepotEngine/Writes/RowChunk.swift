internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

extension ChangeSession {
  /// Executes one part of an update or deletion: up to `size` next rows by identifier.
  ///
  /// It returns whether that was the last part.
  func apply(
    chunkOf operation: Operation,
    size: Int,
    isRepeatable: Bool,
    _ progress: inout ChunkProgress,
    _ effect: inout WriteEffect
  ) throws -> Bool {
    isChunk = true
    switch operation {
    case .update(let request):
      guard request.computed.isEmpty || isRepeatable else { throw DepotError.unrepeatable }
      let writer = try entities.writer(request.entity, at: "/args/entity")
      let chunk = RowChunk(
        rows: request.rows,
        includesSubentities: request.includesSubentities,
        size: size
      )
      let (rows, isLast) = try writer.next(chunk, &progress, control)
      let changed = try writer.update(request, self, only: rows)
      try finish()
      effect.rowsUpdated += changed.count
      progress.done += changed.count
      if request.returnsIdentifiers { try progress.add(changed) }
      return isLast
    case .delete(let request):
      let writer = try entities.writer(request.entity, at: "/args/entity")
      let chunk = RowChunk(
        rows: request.rows,
        includesSubentities: request.includesSubentities,
        size: size
      )
      let (rows, isLast) = try writer.next(chunk, &progress, control)
      let (count, identifiers) = try delete(request, only: rows)
      try finish()
      effect.rowsDeleted += count
      progress.done += count
      if request.returnsIdentifiers { try progress.add(identifiers) }
      return isLast
    default:
      throw DepotError(.bug, "\"\(operation.name)\" has no chunks.")
    }
  }
}

/// The source of a chunk's rows, and their number.
private struct RowChunk {
  var rows: RowSelection
  var includesSubentities: Bool
  var size: Int
}

extension EntityWriter {
  /// Returns the rows of the next chunk, in the order of their identifiers.
  fileprivate func next(
    _ chunk: RowChunk,
    _ progress: inout ChunkProgress,
    _ control: CallControl
  ) throws -> (rows: [Int64], isLast: Bool) {
    if progress.after == nil { try begin(chunk, &progress, control) }
    let after = progress.after ?? .min
    var rows: [Int64] = []
    switch chunk.rows {
    case .identifiers(let identifiers):
      rows = Array(Set(identifiers.filter { $0 > after }).sorted().prefix(chunk.size))
    case .predicate(let expression):
      rows = try find(expression, chunk, &progress, control)
      return (rows, rows.count < chunk.size && progress.after == progress.through)
    }
    progress.after = rows.last ?? after
    return (rows, rows.count < chunk.size)
  }

  /// Returns the next rows that satisfy a predicate, found within ``ChunkedWrite/duration``.
  private func find(
    _ expression: QueryExpression,
    _ chunk: RowChunk,
    _ progress: inout ChunkProgress,
    _ control: CallControl
  ) throws -> [Int64] {
    let end = Monotonic.now() + ChunkedWrite.duration
    var rows: [Int64] = []
    // Identifiers are positive.
    var after = max(0, progress.after ?? 0)
    var width: Int64 = 1024
    repeat {
      let last = progress.through - after > width ? after + width : progress.through
      let wanted = chunk.size - rows.count
      var count = 0
      try select(
        expression,
        includingDescendants: chunk.includesSubentities,
        control,
        from: "t0.id > ? AND t0.id <= ? ORDER BY t0.id LIMIT ?",
        [.integer(after), .integer(last), .integer(Int64(wanted))]
      ) { identifier in
        rows.append(identifier)
        count += 1
      }
      after = count == wanted ? rows[rows.count - 1] : last
      width = min(2 * width, 1 << 60)
    } while rows.count < chunk.size && after < progress.through && Monotonic.now() < end
    progress.after = after
    return rows
  }

  /// Starts the rows of a request, and checks that named rows exist.
  ///
  /// Rows of later chunks may be missing: a delete rule can have deleted them.
  private func begin(
    _ chunk: RowChunk,
    _ progress: inout ChunkProgress,
    _ control: CallControl
  ) throws {
    progress.through = counter.next - 1
    guard case .identifiers(let identifiers) = chunk.rows else { return }
    let rows = try self.identifiers(
      chunk.rows,
      includingDescendants: chunk.includesSubentities,
      control
    )
    let missing = try rows.filter { try !isThere($0) }
    guard missing.isEmpty else { throw layout.missing(missing) }
    progress.through = identifiers.max() ?? 0
  }
}

extension DepotError {
  /// The error for a chunked update whose repetition would compute some rows twice.
  fileprivate static var unrepeatable: DepotError {
    DepotError(.usage, "Values can be computed in chunks only with an idempotency key.")
      .hint("Send a key: with it a repeated request computes no row twice. Or leave chunk out.")
      .at("/args/chunk")
  }
}
