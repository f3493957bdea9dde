internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// The plan of a read, and its cost if it was executed.
struct Explanation {
  let predicate: QueryExpression?
  let sql: String
  let plan: ReadPlan
  let advice: IndexAdvice?
  let cost: Cost?

  /// The cost of an execution.
  struct Cost {
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
}
