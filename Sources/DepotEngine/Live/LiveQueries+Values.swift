internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// Evaluates watched counts and groups.
extension LiveQueries {
  /// Runs a query for a count or groups, and sends the answer to the client if it has changed.
  ///
  /// A reader executes a long run.
  func runValue(_ query: LiveQuery, _ old: LiveValue, at token: Int64) throws {
    // Another watch may have just found the same answer.
    if let rows = old.shared.rows(at: token), !old.dependencies.isOpaque {
      let dirtyRows = query.dirtyRows
      query.dirtyRows.removeAll()
      return sendValue(query, rows, dirtyRows, at: token)
    }
    if old.shared.isLong || patience == 0 { return readValue(query) }
    let value = old
    let end = Monotonic.now() + patience
    let connection = try connection()
    connection.watch(every: 1000, ProgressCheck { Monotonic.now() > end })
    defer { connection.unwatch() }
    let answer: LiveValue.Answer
    do {
      answer = try value.answer(in: query.catalog, query.watch.reply.int64, on: connection)
    } catch {
      guard case .interrupted = ReadEnd(error) else { throw error }
      value.shared.isLong = true
      return readValue(query)
    }
    value.note(answer, at: token)
    let dirtyRows = query.dirtyRows
    query.dirtyRows.removeAll()
    sendValue(query, answer.rows, dirtyRows, at: token)
  }

  /// Makes a reader run a query.
  private func readValue(_ query: LiveQuery) {
    query.running = query.dirtyRows
    query.dirtyRows.removeAll()
    read(query, query.watch.request)
  }

  /// Uses the answer of a reader.
  func didReadValue(_ query: LiveQuery, _ snapshot: LiveSnapshot) {
    guard case .value(let value) = query.subject, let answer = snapshot.answer else { return }
    var dirtyRows = query.running ?? DirtyRows(nodeCount: 0)
    query.running = nil
    // Changes since then may be in the answer too.
    dirtyRows.isForeign = dirtyRows.isForeign || query.dirtyRows.hasForeign
    if !query.dirtyRows.isEmpty { dirtyRows.forgetAuthors() }
    // An answer for another schema is ignored, because all queries run again for the new one.
    if answer.generation == query.catalog.generation { value.note(answer, at: snapshot.token) }
    sendValue(query, answer.rows, dirtyRows, at: snapshot.token)
    dirty.insert(query)
  }

  /// Computes the answer from the changed rows.
  func updateValue(_ query: LiveQuery, at token: Int64) throws {
    if query.watch.request.echoes, case .value(let value) = query.subject,
      let rows = value.shared.rows(at: token)
    {
      // Another watch has already computed the answer for this token.
      let dirtyRows = query.dirtyRows
      query.dirtyRows.removeAll()
      return sendValue(query, rows, dirtyRows, at: token)
    }
    query.settleDirtyRows()
    let walk = try PathWalk(dependencies: query.dependencies, connection: connection())
    guard let changedRows = try walk.changedRows(query.dirtyRows) else {
      query.dirtyRows.forgetRows()
      return enqueueRun(query)
    }
    guard case .value(let value) = query.subject else { return }
    let form = query.watch.reply.int64
    guard
      let rows = try value.update(Array(changedRows.keys), form, at: token, on: connection())
    else {
      query.dirtyRows.isUnknown = true
      return enqueueRun(query)
    }
    var dirtyRows = query.dirtyRows
    dirtyRows.isForeign = dirtyRows.isForeign || changedRows.values.contains(where: \.isForeign)
    query.dirtyRows.removeAll()
    sendValue(query, rows, dirtyRows, at: token)
  }

  /// Sends an answer to a client, if it is the first or has changed.
  private func sendValue(
    _ query: LiveQuery,
    _ rows: [[UInt8]],
    _ dirtyRows: DirtyRows,
    at token: Int64
  ) {
    guard case .value(var value) = query.subject else { return }
    var checksum = Checksum()
    for row in rows { row.withUnsafeBytes { checksum.add($0) } }
    let isFirst = query.stage == .beginning
    let isOwn = !query.watch.request.echoes && !dirtyRows.hasForeign
    query.token = token
    let since = query.changedAt
    query.changedAt = nil
    if isFirst || value.checksum != checksum.value && !isOwn {
      value.checksum = checksum.value
      query.subject = .value(value)
      query.outbox += frames(
        rows,
        names: isFirst ? value.names : nil,
        head: isFirst ? nil : LiveFrames.Head(token: token, author: dirtyRows.author),
        query.frames
      )
      if !isFirst, let since { lateness.note(since: since) }
    }
    if isFirst { goLive(query, at: token) }
    pump(query)
  }

  /// Returns one or more frames of an answer: snapshots, or changes if there is a `head`.
  private func frames(
    _ rows: [[UInt8]],
    names: [String]?,
    head: LiveFrames.Head?,
    _ frames: LiveFrames
  ) -> [[UInt8]] {
    var result: [[UInt8]] = []
    var rest = rows[...]
    repeat {
      let part = rest.prefix(LiveFrames.fitting(rest) { $0.count + 1 })
      rest = rest[part.endIndex...]
      let isFirst = result.isEmpty
      result.append(
        frames.frame(head == nil ? "snapshot" : "change") { writer in
          if let head { frames.write(head, isLast: rest.isEmpty, to: &writer) }
          if isFirst, let names { writer.member("columns", names) }
          writer.member("next")
          writer.array(part) { $0.raw($1) }
        }
      )
    } while !rest.isEmpty
    return result
  }
}
