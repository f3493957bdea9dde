internal import DepotProtocol
internal import DepotSQLite

/// The plan for reading rows of one entity by their identifiers.
final class GetPlan {
  private let statement: Statement
  private let connection: Connection
  private let writing: RowWriting
  let entity: String
  /// The names of the columns as JSON.
  private let names: [UInt8]
  /// The statement's parameters before the identifier.
  private let parameters: [SQLiteValue]
  /// The prefetched relationships.
  private let prefetch: [PrefetchNode]

  init(_ request: GetRequest, in catalog: Catalog, _ connection: Connection) throws {
    var query = try RowQuery(request.entity, in: catalog)
    let shape = try RowShape(
      query.layout,
      select: request.select,
      includesSubentityColumns: request.includesSubentityColumns,
      in: &query.compiler
    )
    let condition = Fragment(sql: "t0.id = ?")
    let read = try query.select(shape.selection, and: condition)
    statement = try connection.statement(read.sql)
    parameters = read.parameters
    prefetch = try PrefetchNode.tree(request, from: shape, in: catalog)
    self.connection = connection
    writing = RowWriting(shape)
    entity = shape.layout.name
    var writer = JSONWriter()
    writer.raw("\"columns\":")
    writer.names(shape.names)
    writer.raw(",")
    names = writer.bytes
  }

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
      .details(["entity": .string(entity), "missing": .array(missing.map(JSONValue.int64))])
  }
}
