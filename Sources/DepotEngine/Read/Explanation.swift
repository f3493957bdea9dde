internal import DepotLinux
package import DepotProtocol
internal import DepotSQLite

/// The plan of a read, and its cost if it was executed.
struct Explanation {
  private let predicate: QueryExpression?
  private let sql: String
  private let plan: ReadPlan
  private let advice: IndexAdvice?
  private let cost: Cost?

  /// The cost of an execution.
  private struct Cost {
    var rows: Int
    var scannedRows: Int
    var sorts: Int
    var steps: Int
    var microseconds: UInt64
  }

  init(
    _ request: ExplainRequest,
    _ catalog: Catalog,
    on connection: Connection
  ) throws {
    let statement = try request.read.statement(in: catalog)
    plan = try ReadPlan(of: statement, on: connection)
    predicate = request.read.rows.predicate
    sql = statement.sql
    advice = IndexAdvice(request.read, plan, in: catalog.schema)
    cost = request.runs ? try Self.run(statement, on: connection) : nil
  }

  private static func run(
    _ query: ReadStatement,
    on connection: Connection
  ) throws -> Cost {
    let statement = try connection.prepared(query)
    defer { statement.reset() }
    for counter in [Statement.Counter.scannedRows, .sorts, .steps] { _ = statement.take(counter) }
    let start = Monotonic.now()
    var rows = 0
    while try statement.step() { rows += 1 }
    return Cost(
      rows: rows,
      scannedRows: statement.take(.scannedRows),
      sorts: statement.take(.sorts),
      steps: statement.take(.steps),
      microseconds: (Monotonic.now() - start) / 1000
    )
  }

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

/// The reasons why a read, or the search for rows to change, may have been slow.
package struct SlowReadReport: Sendable {
  /// The predicate, if any, with a question mark for each value; up to 1,000 characters.
  package var predicate: String?
  /// Whether it visits every row of a table.
  package var isFullScan: Bool
  /// Advice to make it faster, with names but without values.
  package var advice: String?
}

extension QuickReader {
  /// Explains why a call may have been slow, without executing it; `nil` if it doesn't search rows.
  package func report(on operation: Operation, catalog: Catalog) -> SlowReadReport? {
    let read: ExplainRequest.Read
    switch operation {
    case .fetch(let request): read = .fetch(request)
    case .count(let request), .exists(let request): read = .count(request)
    case .aggregate(let request): read = .aggregate(request)
    case .update(let request):
      read = .count(request.rows.search(request.entity, request.includesSubentities))
    case .delete(let request):
      read = .count(request.rows.search(request.entity, request.includesSubentities))
    default: return nil
    }
    if case .count(let request) = read, request.predicate == nil, operation.isWrite { return nil }
    guard let plan = plan(of: read, catalog) else { return nil }
    let advice = IndexAdvice(read, plan, in: catalog.schema)
    let predicate = read.rows.predicate.map { expression in
      let text = PredicatePrinter.shape(expression)
      return text.count > 1000 ? text.prefix(999) + "…" : text
    }
    return SlowReadReport(
      predicate: predicate,
      isFullScan: plan.isFullScan,
      advice: advice?.text
    )
  }
}

extension RowSelection {
  /// Returns the read for the rows, without a predicate if they are named.
  fileprivate func search(_ entity: String, _ includesSubentities: Bool) -> CountRequest {
    CountRequest(
      entity: entity,
      predicate: predicate,
      includesSubentities: includesSubentities
    )
  }
}
