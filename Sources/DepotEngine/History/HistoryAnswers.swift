internal import DepotProtocol
internal import DepotSQLite

/// The answers to short questions about the history, each within one snapshot.
struct HistoryAnswers {
  private let connection: Connection
  private let catalog: Catalog
  private let reply: ReplyWriter
  private let check: PastReader.Check

  init(
    _ connection: Connection,
    _ catalog: Catalog,
    _ reply: ReplyWriter,
    check: @escaping PastReader.Check
  ) {
    self.check = check
    self.connection = connection
    self.catalog = catalog
    self.reply = reply
  }

  /// Appends the answer to a question.
  ///
  /// - Throws: ``ReadEnd``; nothing was appended then.
  func answer(_ operation: Operation, to writer: inout JSONWriter) throws(ReadEnd) {
    let ownsTransaction = !connection.isInTransaction
    do {
      if ownsTransaction { try connection.run("BEGIN") }
      defer { if ownsTransaction { try? connection.run("COMMIT") } }
      let bounds = try HistoryBounds(on: connection)
      let result: [UInt8]
      switch operation {
      case .historyStatus: result = try status(bounds)
      case .historyRow(let request): result = try row(request, bounds)
      default: throw DepotError(.bug, "\(operation.name) isn't about the history.")
      }
      guard result.count < Limits.frameBytes - 100 else {
        throw DepotError(.frameTooLarge, "The row is too large for a frame.")
      }
      reply.ok(to: &writer) { $0.raw(result) }
    } catch {
      throw ReadEnd(error)
    }
  }

  // MARK: - The whole

  private func status(_ bounds: HistoryBounds) throws -> [UInt8] {
    var count: Int64 = 0
    try connection.statement(
      "SELECT count(*) FROM depot_history WHERE at IS NOT NULL AND id > ?1"
    ).run([.integer(bounds.floor)]) { count = $0.integer(0) }
    var bytes: Int64 = 0
    try connection.statement("SELECT value FROM depot_meta WHERE key = 'history_bytes'")
      .run { bytes = $0.integer(0) }
    let consumers = try HistoryConsumers(connection).all().map { consumer in
      var writer = JSONWriter()
      DateText.write(consumer.at, to: &writer)
      return JSONValue.object([
        "name": .string(consumer.name), "token": .string(bounds.token(consumer.token).description),
        "at": try JSONValue(parsing: writer.bytes),
        "isExpired": .bool(consumer.token < bounds.purged),
      ])
    }
    var members = bounds.details
    members["transactions"] = .int64(count)
    members["bytes"] = .int64(bytes)
    members["consumers"] = .array(consumers)
    return Array(JSONValue.object(members).text.utf8)
  }

  // MARK: - One row

  private func row(_ request: HistoryRowRequest, _ bounds: HistoryBounds) throws -> [UInt8] {
    let layout: EntityLayout
    do {
      layout = try catalog.layout(of: request.entity)
    } catch {
      throw error.at("/args/entity")
    }
    let past = PastReader(connection, catalog, bounds, check: check)
    let story = try RowStory(request.identifier, layout, past)
    let policy = catalog.schema.historyPolicy(of: story.layout.entity)
    guard policy != .none else {
      throw DepotError(.historyNoValues, "The history keeps nothing of \(story.layout.name).")
        .hint("Give the entity \"history\": \"values\" in its schema.").at("/args/entity")
    }
    guard let token = request.at else { return try blame(story, past) }
    try bounds.check(token, at: "/args/at")
    let row = try story.state(after: token.sequence, past)
    var writer = JSONWriter()
    writer.raw("{\"token\":")
    writer.string(token.description)
    writer.raw(",\"entity\":")
    writer.string(story.layout.name)
    writer.raw(",\"row\":")
    guard row.exists else {
      writer.raw("null,\"deleted\":true}")
      return writer.bytes
    }
    var values = MemberList()
    var unknown: [String] = []
    for field in story.layout.fields {
      if let value = row.values[field.path] {
        values.add(field.path, value, RowColumn.Form(field.attribute), reply.int64)
      } else if story.layout.position(of: field.path).flatMap({
        story.layout.storedPositions[$0]
      }) != nil {
        unknown.append(field.path)
      }
    }
    // What the schema doesn't have any more stays under its name.
    for (name, value) in row.values.sorted(by: { $0.key < $1.key })
    where story.layout.position(of: name) == nil { values.add(name, value, nil, reply.int64) }
    writer.raw("{")
    writer.raw(values.bytes)
    writer.raw("}")
    if !unknown.isEmpty {
      writer.raw(",\"unknown\":")
      writer.names(unknown)
    }
    if try schemaChanged(since: token.sequence) { writer.raw(",\"schemaChanged\":true") }
    writer.raw("}")
    return writer.bytes
  }

  /// Whether the schema changed after a moment, and with it perhaps rows and the names of properties.
  private func schemaChanged(since token: Int64) throws -> Bool {
    var last: Int64 = 0
    try connection.statement("SELECT max(id) FROM depot_history WHERE origin = ?1")
      .run([.text(TransactionOrigin.schemaKind)]) { last = $0.integer(0) }
    return last > token
  }

  private func blame(_ story: RowStory, _ past: PastReader) throws -> [UInt8] {
    let blame = try story.blame(past)
    var writer = JSONWriter()
    writer.raw("{\"entity\":")
    writer.string(story.layout.name)
    writer.raw(",\"properties\":{")
    for (index, entry) in blame.properties.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { writer.raw(",") }
      writer.string(entry.key)
      writer.raw(":{")
      try past.origin(of: entry.value)?.writeMembers(past.bounds, to: &writer)
      writer.raw("}")
    }
    writer.raw("}")
    for (name, token) in [("inserted", blame.inserted), ("deletedBy", blame.deleted)] {
      guard let token, let origin = try past.origin(of: token) else { continue }
      writer.raw(",\"\(name)\":{".utf8)
      origin.writeMembers(past.bounds, to: &writer)
      writer.raw("}")
    }
    writer.raw("}")
    return writer.bytes
  }
}
