internal import DepotProtocol
internal import DepotSQLite

/// Answers short requests about the history, each from one snapshot.
struct HistoryAnswers {
  let connection: Connection
  let catalog: Catalog
  let reply: ReplyWriter
  let check: PastReader.Check

  /// The most bytes of an answer.
  private static let mostBytes = Limits.frameBytes - 100

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
    guard result.count < Self.mostBytes else {
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
    var members = bounds.members
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
    let schemaChanged = try past.schemaChanged(since: token.sequence)
    var result: [UInt8] = []
    for limit in [.max] + HistoryWriting.valueLimits {
      result = state(row, story, token, schemaChanged, limit)
      if result.count < Self.mostBytes { break }
    }
    return result
  }

  /// Returns the values of a row; larger ones than `limit` are lengths.
  private func state(
    _ row: RowState,
    _ story: RowHistory,
    _ token: HistoryToken,
    _ schemaChanged: Bool,
    _ limit: Int
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.raw("{")
    writer.member("token", token)
    writer.member("entity", story.layout.name)
    guard row.exists else {
      writer.raw(",\"row\":null,\"deleted\":true}")
      return writer.bytes
    }
    var values = MemberList("row", limit)
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
    if schemaChanged { writer.member("schemaChanged", true) }
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

extension HistoryBounds {
  /// The tokens that a client needs to continue.
  fileprivate var members: [String: JSONValue] {
    [
      "oldest": oldest.map { .string(token($0).description) } ?? .null,
      "head": .string(token(head).description),
    ]
  }
}

extension DepotError {
  /// Returns the error with the tokens that a client needs to continue.
  func details(of bounds: HistoryBounds) -> DepotError { details(bounds.members) }
}

/// Answers requests for the schemas that a store had and has, from one snapshot.
struct SchemaVersionsAnswer {
  let connection: Connection
  let catalog: Catalog

  /// Returns the list of all, or the entry of a number with its schema.
  ///
  /// The schema has the original names of the one with the number `since`, if it is named.
  ///
  /// - Throws: ``DepotError`` `notfound.schema` if there is no schema of a number.
  func result(_ number: Int64?, since: Int64?) throws -> JSONValue {
    let versions = SchemaVersions(connection: connection)
    let found = try versions.all(number, present: catalog)
    let bounds = try HistoryBounds(on: connection)
    var members: [String: JSONValue] = ["versions": .array(found.map { $0.json(bounds) })]
    if let number {
      var schema = try schema(number, versions, at: "/args/number")
      if let since {
        guard since <= number else {
          throw DepotError(.usage, "Schema \(since) came after schema \(number).")
            .hint("Name an earlier one.").at("/args/since")
        }
        _ = try self.schema(since, versions, at: "/args/since")
        schema = .traced(
          through: try (since...number).map { try self.schema($0, versions, at: "/args/since") }
        )
      }
      members["schema"] = try JSONValue(parsing: schema.json.utf8)
    }
    return .object(members)
  }

  private func schema(
    _ number: Int64,
    _ versions: SchemaVersions,
    at pointer: String
  ) throws -> Schema {
    if let schema = try versions.schema(number, present: catalog) { return schema }
    throw DepotError(.schemaNotFound, "The store has kept no schema number \(number).")
      .hint("Without a number, those that it has are listed.").at(pointer)
  }
}

extension SchemaVersions.Version {
  fileprivate func json(_ bounds: HistoryBounds) -> JSONValue {
    var members: [String: JSONValue] = [
      "number": .int64(number), "fingerprint": .string(fingerprint),
    ]
    members["token"] = token.map { .string(bounds.token($0).description) }
    members["at"] = date.map { JSONValue(date: $0) }
    members["author"] = author.map(JSONValue.string)
    members["process"] = process.map(JSONValue.string)
    members["version"] = version.map(JSONValue.string)
    return .object(members)
  }
}
