internal import DepotProtocol
internal import DepotSQLite

/// How a fetch is run.
struct Explanation {
  let request: FetchRequest
  let sql: String
  /// SQLite's plan, a line for each step.
  let plan: [String]
  let advice: String?

  init(
    _ request: FetchRequest,
    _ catalog: Catalog,
    on connection: Connection
  ) throws(DepotError) {
    let layout = try catalog.layout(of: request.entity)
    let shape = try RowShape(layout, select: request.select)
    let query = try ReadStatement(fetch: request, columns: shape.columns, of: layout, in: catalog)
    self.request = request
    sql = query.sql
    var lines: [String] = []
    do {
      let statement = try connection.statement("EXPLAIN QUERY PLAN " + query.sql)
      defer { statement.reset() }
      try statement.bind(query.parameters)
      while try statement.step() { lines.append(statement.row.text(3)) }
    } catch {
      throw DepotError(reading: error)
    }
    plan = lines
    advice = IndexAdvice.text(for: request, of: layout.entity, plan: lines)
  }

  /// The names of the indexes that the plan uses.
  var uses: [String] {
    plan.compactMap { line in
      guard let range = line.firstRange(of: "INDEX ") else { return nil }
      return String(line[range.upperBound...].prefix { $0 != " " })
    }
  }

  /// Whether every row is looked at.
  var isFullScan: Bool { plan.contains { $0.hasPrefix("SCAN ") } }

  /// Appends the terminal frame.
  func answer(_ reply: ReplyWriter, to writer: inout JSONWriter) {
    reply.ok(to: &writer) { writer in
      writer.raw("{\"predicate\":")
      if let predicate = request.predicate { writer.write(predicate) } else { writer.raw("null") }
      writer.raw(",\"sql\":")
      writer.string(sql)
      writer.raw(",\"plan\":")
      writer.names(plan)
      writer.raw(",\"uses\":")
      writer.names(uses)
      writer.raw(",\"fullScan\":")
      writer.bool(isFullScan)
      if let advice {
        writer.raw(",\"advice\":")
        writer.string(advice)
      }
      writer.raw("}")
    }
  }
}
