internal import DepotProtocol
internal import DepotSQLite

/// Counts and groups.
extension LiveQueries {
  /// Runs a query whose answer is a value or groups, and tells its client if it is another one.
  func runValue(
    _ query: LiveQuery,
    _ old: LiveValue,
    _ connection: Connection,
    at token: Int64
  ) throws(ReadEnd) {
    let rows = try rows(of: old, in: query.catalog, query.watch.reply.int64, connection)
    var checksum = Checksum()
    for row in rows { row.withUnsafeBytes { checksum.add($0) } }
    let isFirst = query.stage == .beginning
    let isOwn = !query.watch.request.echoes && !query.touches.isForeign
    let isSilent = !isFirst && (old.checksum == checksum.value || isOwn)
    var author: String?
    if case .one(let only) = query.touches.authors { author = only }
    var value = old
    value.checksum = checksum.value
    query.subject = .value(value)
    if isFirst { query.mustRestart = false }
    query.touches.removeAll()
    query.token = token
    if !isSilent {
      query.outbox += frames(
        rows,
        names: isFirst ? value.names : nil,
        head: isFirst ? nil : LiveFrames.Head(token: token, author: author),
        query.frames
      )
    }
    if isFirst { goLive(query, at: token) }
    pump(query)
  }

  private func rows(
    of value: LiveValue,
    in catalog: Catalog,
    _ form: Hello.Int64Form,
    _ connection: Connection
  ) throws(ReadEnd) -> [[UInt8]] {
    switch value.request {
    case .count(let request):
      let statement: ReadStatement
      do {
        statement = try ReadStatement(count: request, in: catalog)
      } catch {
        throw .failed(error)
      }
      var writer = JSONWriter()
      writer.raw("[")
      writer.integer(try statement.integer(on: connection))
      writer.raw("]")
      return [writer.bytes]
    case .aggregate(let request):
      let plan: StreamPlan
      do {
        plan = try StreamPlan(request, in: catalog)
      } catch {
        throw .failed(error)
      }
      return try rows(of: plan, form, connection)
    default:
      return []
    }
  }

  private func rows(
    of plan: StreamPlan,
    _ form: Hello.Int64Form,
    _ connection: Connection
  ) throws(ReadEnd) -> [[UInt8]] {
    var rows: [[UInt8]] = []
    var byteCount = 0
    let statement = try connection.prepared(plan.statement)
    defer { statement.reset() }
    while try statement.advance() {
      guard rows.count < Limits.watchRows, byteCount <= Limits.frameBytes else {
        throw .failed(
          DepotError(
            .tooManyWatchedRows,
            "There are more than \(Limits.watchRows) groups or 16 MiB of them, too many to be watched."
          )
          .hint("Give the query a limit or a narrower predicate.")
        )
      }
      var writer = JSONWriter(capacity: 64)
      do {
        try plan.reading.write(statement.row, int64: form, to: &writer)
      } catch {
        throw .failed(error)
      }
      byteCount += writer.bytes.count
      rows.append(writer.bytes)
    }
    return rows
  }

  /// Returns the frames of an answer, at least one: snapshots, or changes if there is a `head`.
  private func frames(
    _ rows: [[UInt8]],
    names: [String]?,
    head: LiveFrames.Head?,
    _ frames: LiveFrames
  ) -> [[UInt8]] {
    var result: [[UInt8]] = []
    var rest = rows[...]
    repeat {
      var (count, bytes) = (0, 0)
      for row in rest {
        bytes += row.count + 1
        if count > 0, bytes > LiveFrames.frameBytes { break }
        count += 1
      }
      let part = rest.prefix(count)
      rest = rest.dropFirst(count)
      let isFirst = result.isEmpty
      result.append(
        frames.frame(head == nil ? "snapshot" : "change") { writer in
          if let head { frames.write(head, isLast: rest.isEmpty, to: &writer) }
          if isFirst, let names {
            writer.raw(",\"columns\":")
            writer.names(names)
          }
          writer.raw(",\"next\":[")
          for (index, row) in part.enumerated() {
            if index > 0 { writer.raw(",") }
            writer.raw(row)
          }
          writer.raw("]")
        }
      )
    } while !rest.isEmpty
    return result
  }
}
