internal import DepotProtocol
internal import DepotSQLite

/// Answers short requests about the history, each from one snapshot.
struct HistoryAnswers {
  let connection: Connection
  let catalog: Catalog
  let reply: ReplyWriter
  let check: PastReader.Check

  /// Appends the answer to a request; if it throws, nothing is appended.
  func answer(_ operation: Operation, to writer: inout JSONWriter) throws {
    try connection.beginSnapshot()
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
  }

  // MARK: - The whole

  private func status(_ bounds: HistoryBounds) throws -> [UInt8] {
    let count = try connection.integer(
      "SELECT count(*) FROM depot_history WHERE at IS NOT NULL AND id > ?1",
      [.integer(bounds.floor)]
    )
    let bytes = try connection.number(.historyBytes)
    let consumers = try HistoryConsumers(connection: connection).all().map { consumer in
      JSONValue.object([
        "name": .string(consumer.name), "token": .string(bounds.token(consumer.token).description),
        "at": JSONValue(date: consumer.at), "isExpired": .bool(consumer.token < bounds.purged),
      ])
    }
    var members = bounds.details
    members["transactions"] = .int64(count ?? 0)
    members["bytes"] = .int64(bytes)
    members["consumers"] = .array(consumers)
    return Array(JSONValue.object(members).text.utf8)
  }

  // MARK: - One row

  private func row(_ request: HistoryRowRequest, _ bounds: HistoryBounds) throws -> [UInt8] {
    let layout = try catalog.layout(of: request.entity, at: "/args/entity")
    let past = PastReader(connection, catalog, bounds, check: check)
    let story = try RowHistory(request.identifier, layout, past)
    let policy = story.layout.historyPolicy
    guard policy != .none else {
      throw DepotError(.historyNoValues, "The history keeps no changes of \(story.layout.name).")
        .hint("Give the entity \"history\": \"values\" in its schema.").at("/args/entity")
    }
    guard let token = request.at else { return try blame(story, past) }
    try bounds.check(token, at: "/args/at")
    let row = try story.state(after: token.sequence, past)
    var writer = JSONWriter()
    writer.raw("{")
    writer.member("token", token)
    writer.member("entity", story.layout.name)
    guard row.exists else {
      writer.raw(",\"row\":null,\"deleted\":true}")
      return writer.bytes
    }
    var values = MemberList("row")
    var unknown: [String] = []
    for field in story.layout.fields {
      if let value = row.values[field.path] {
        values.add(field.path, value, reply.int64, to: &writer)
      } else if story.layout.position(of: field.path).flatMap({
        story.layout.storedPositions[$0]
      }) != nil {
        unknown.append(field.path)
      }
    }
    // A property that isn't in the schema any more keeps its name.
    for (name, value) in row.values.sorted(by: { $0.key < $1.key })
    where story.layout.position(of: name) == nil {
      values.add(name, value, reply.int64, to: &writer)
    }
    values.end(&writer, writesEmpty: true)
    if !unknown.isEmpty { writer.member("unknown", unknown) }
    if try past.schemaChanged(since: token.sequence) { writer.member("schemaChanged", true) }
    writer.raw("}")
    return writer.bytes
  }

  private func blame(_ story: RowHistory, _ past: PastReader) throws -> [UInt8] {
    let blame = try story.blame(past)
    var writer = JSONWriter()
    try writer.object { writer in
      writer.member("entity", story.layout.name)
      try writer.member("properties") { writer in
        for entry in blame.properties.sorted(by: { $0.key < $1.key }) {
          writer.name(entry.key)
          let origin = try past.origin(of: entry.value)
          writer.object { origin?.writeMembers(past.bounds, to: &$0) }
        }
      }
      if let token = blame.inserted, let origin = try past.origin(of: token) {
        writer.member("inserted") { origin.writeMembers(past.bounds, to: &$0) }
      }
      if let token = blame.deleted, let origin = try past.origin(of: token) {
        writer.member("deletedBy") { origin.writeMembers(past.bounds, to: &$0) }
      }
    }
    return writer.bytes
  }
}
