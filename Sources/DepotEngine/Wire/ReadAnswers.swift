internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// Answers reads that aren't streams, each from one snapshot.
@Memberwise("path")
struct ReadAnswers {
  /// The most problems in an answer.
  private static let problemLimit = 1000

  private let path: String
  private let connection: Connection
  private let catalog: Catalog
  private let reply: ReplyWriter

  /// Returns the complete answer; `check` and `pause` are called between steps.
  func frame(
    of operation: Operation,
    check: @escaping () throws -> Void,
    pause: () throws -> Void
  ) throws -> [UInt8] {
    var writer = JSONWriter()
    switch operation {
    case .check: try self.check(pause, to: &writer)
    case .space: try space(to: &writer)
    case .removeCopies(let names, _): try removeCopies(names, to: &writer)
    case .get(let request):
      try GetPlan(request, in: catalog, connection)
        .answer(request, request.identifiers.span, reply, &writer)
    case .explain(let request):
      try Explanation(request, catalog, on: connection).answer(reply, to: &writer)
    case .count:
      let query = try ReadStatement(operation, in: catalog)
      reply.count(try query.integer(on: connection), to: &writer)
    case .exists:
      let query = try ReadStatement(operation, in: catalog)
      reply.exists(try query.integer(on: connection) != 0, to: &writer)
    case .historyRow, .historyStatus:
      let answers = HistoryAnswers(connection: connection, catalog: catalog, reply: reply) { _ in
        try check()
      }
      try answers.answer(operation, to: &writer)
    case .schemaVersions(let number, let since, _):
      let answer = SchemaVersionsAnswer(connection: connection, catalog: catalog)
      let result = try answer.result(number, since: since)
      reply.ok(to: &writer) { $0.write(result) }
    default:
      throw DepotError(.bug, "\(operation.name) isn't a read.")
    }
    return writer.bytes
  }

  /// Appends the use of disk space.
  private func space(to writer: inout JSONWriter) throws {
    if !connection.isInTransaction { try connection.beginReading() }
    let catalog = try CatalogTables(connection: connection).catalog(orSame: catalog)
    let space = try StoreSpace(catalog, on: connection)
    let log = FileSystem.size(of: path + "-wal") ?? 0
    let copies = StoreCopies(of: path).kept
    reply.object(to: &writer) { space.write(log: log, copies: copies, to: &$0) }
  }

  /// Removes copies of the store by their names, and appends the removed ones.
  private func removeCopies(_ names: [String], to writer: inout JSONWriter) throws {
    let removed = try StoreCopies(of: path).remove(names)
    reply.object(to: &writer) { writer in
      writer.member("removed", removed.map(\.name))
      writer.member("bytes", removed.reduce(0) { $0 + $1.bytes })
    }
  }

  /// Appends the problems of the store; `pause` is called between steps.
  private func check(_ pause: () throws -> Void, to writer: inout JSONWriter) throws {
    if !connection.isInTransaction { try connection.beginReading() }
    let tables = CatalogTables(connection: connection)
    let token = try SnapshotToken.read(on: connection, store: try tables.storeIdentifier())
    let check = try WholeCheck(
      connection,
      { try tables.catalog(orSame: catalog) },
      isShared: true,
      pause
    )
    reply.object(to: &writer) { writer in
      writer.member("problems", Array(check.problems.prefix(Self.problemLimit)))
      writer.member("pages", check.pageCount)
      if let token { writer.member("token", token) }
    }
  }
}

extension StoreSpace {
  /// Writes the members of the answer.
  fileprivate func write(log: Int, copies: [StoreCopies.Kept], to writer: inout JSONWriter) {
    writer.member("fileBytes", fileBytes)
    writer.member("logBytes", log)
    writer.member("freeBytes", freeBytes)
    writer.member("historyBytes", historyBytes)
    writer.member("otherBytes", otherBytes)
    writer.member("entities")
    writer.array(parts) { writer, part in
      writer.object { writer in
        writer.member("entity", part.entity)
        writer.member("rows", part.rows)
        writer.member("rowBytes", part.rowBytes)
        writer.member("indexBytes", part.indexBytes)
        writer.member("valueBytes", part.valueBytes)
        writer.member("linkBytes", part.linkBytes)
      }
    }
    writer.member("copies")
    writer.array(copies) { writer, copy in
      writer.object { writer in
        writer.member("name", copy.name)
        writer.member("bytes", copy.bytes)
      }
    }
  }
}

extension ReplyWriter {
  /// Appends the final frame of a count.
  func count(_ count: Int64, to writer: inout JSONWriter) {
    object(to: &writer) { $0.member("count", count) }
  }

  /// Appends the final frame of a check for existence.
  func exists(_ exists: Bool, to writer: inout JSONWriter) {
    object(to: &writer) { $0.member("exists", exists) }
  }
}

extension Explanation {
  /// Appends the final frame.
  func answer(_ reply: ReplyWriter, to writer: inout JSONWriter) {
    reply.object(to: &writer) { writer in
      writer.member("predicate")
      if let predicate {
        writer.write(predicate)
        writer.member("text", PredicatePrinter.text(predicate))
      } else {
        writer.raw("null")
      }
      writer.member("sql", sql)
      writer.member("plan", plan.lines)
      writer.member("uses", plan.indexes)
      writer.member("fullScan", plan.isFullScan)
      if let advice { writer.member("advice", advice.text) }
      if let index = advice?.index { writer.member("index", [index.entity, index.attribute]) }
      guard let cost else { return }
      writer.member("run") { writer in
        writer.member("rows", cost.rows)
        writer.member("scanned", cost.scannedRows)
        writer.member("sorts", cost.sorts)
        writer.member("steps", cost.steps)
        writer.member("microseconds", Int(cost.microseconds))
      }
    }
  }
}

extension GetPlan {
  /// Appends the final frame with the rows of these identifiers, in their order.
  ///
  /// If it throws, the frame is incomplete.
  ///
  /// - Throws: ``DepotError`` `limit.frame_bytes` if there are more bytes than `byteLimit`.
  func answer(
    _ request: GetRequest,
    _ identifiers: Span<Int64>,
    _ reply: ReplyWriter,
    byteLimit: Int = Limits.frameBytes,
    _ writer: inout JSONWriter
  ) throws {
    let start = reply.begin(",\"ok\":{", in: &writer)
    if request.namesColumns { writer.raw(names) }
    writer.raw("\"rows\":[")
    var missing: [Int64] = []
    let isSingle = identifiers.count == 1 && prefetch.isEmpty
    if isSingle || connection.isInTransaction {
      try append(identifiers, reply, byteLimit, &writer, &missing)
    } else {
      try connection.run("BEGIN")
      defer { try? connection.run("COMMIT") }
      try append(identifiers, reply, byteLimit, &writer, &missing)
    }
    if !missing.isEmpty {
      guard request.allowsMissing else { throw notFound(missing) }
      writer.member("missing")
      writer.identifiers(missing, as: reply.int64)
    }
    writer.raw("}")
    reply.end(from: start, in: &writer)
    guard writer.bytes.count - start <= byteLimit else { throw Self.tooLarge }
  }

  private static let tooLarge = DepotError(
    .frameTooLarge,
    "The rows are too large for a frame.",
    hint: "Get fewer rows at once, or select fewer attributes."
  )

  /// Appends the rows, the end of their list, and their related rows.
  private func append(
    _ identifiers: Span<Int64>,
    _ reply: ReplyWriter,
    _ byteLimit: Int,
    _ writer: inout JSONWriter,
    _ missing: inout [Int64]
  ) throws {
    try appendRows(identifiers, reply, byteLimit, &writer, &missing)
    writer.raw("]")
    guard !prefetch.isEmpty else { return }
    var run = PrefetchRun(connection, reply, byteLimit: byteLimit)
    let all = identifiers.indices.map { identifiers[$0] }
    var rest = Set(all).subtracting(missing)
    let found = all.filter { rest.remove($0) != nil }
    guard let related = try run.related(prefetch, of: found) else { throw Self.tooLarge }
    writer.raw(",\"related\":[")
    writer.raw(related)
    writer.raw("]")
  }

  private func appendRows(
    _ identifiers: Span<Int64>,
    _ reply: ReplyWriter,
    _ byteLimit: Int,
    _ writer: inout JSONWriter,
    _ missing: inout [Int64]
  ) throws {
    defer { statement.reset() }
    let start = writer.bytes.count
    var isFirst = true
    for (index, value) in parameters.enumerated() { try statement.bind(value, at: index + 1) }
    for index in identifiers.indices {
      let identifier = identifiers[index]
      statement.restart()
      try statement.bind(identifier, at: parameters.count + 1)
      guard try statement.step() else {
        missing.append(identifier)
        continue
      }
      if !isFirst { writer.raw(",") }
      isFirst = false
      try writing.write(statement.row, int64: reply.int64, limit: byteLimit, to: &writer)
      guard writer.bytes.count - start <= byteLimit else { throw Self.tooLarge }
    }
  }

  private func notFound(_ missing: [Int64]) -> DepotError {
    let names = missing.prefix(3).map { "\(entity)/\($0)" }.joined(separator: ", ")
    let rest = missing.count > 3 ? " and \(missing.count - 3) more" : ""
    let verb = missing.count > 1 ? "don't" : "doesn't"
    return DepotError(.objectNotFound, "\(names)\(rest) \(verb) exist.")
      .detail("entity", entity).detail("missing", missing)
  }
}
