internal import DepotLinux
package import DepotProtocol
internal import DepotSQLite

/// How a read is run, and what it cost if it was.
struct Explanation {
  private let predicate: QueryExpression?
  private let sql: String
  private let plan: ReadPlan
  private let advice: IndexAdvice?
  private let cost: Cost?

  /// What a run has cost.
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
  ) throws(ReadEnd) {
    let statement: ReadStatement
    do throws(DepotError) {
      statement = try request.read.statement(in: catalog)
      plan = try ReadPlan(of: statement, on: connection)
    } catch {
      throw .failed(error)
    }
    predicate = request.read.predicate
    sql = statement.sql
    advice = IndexAdvice(request.read, plan, in: catalog.schema)
    cost = request.runs ? try Self.run(statement, on: connection) : nil
  }

  private static func run(
    _ query: ReadStatement,
    on connection: Connection
  ) throws(ReadEnd) -> Cost {
    let statement = try connection.prepared(query)
    defer { statement.reset() }
    for counter in [Statement.Counter.scannedRows, .sorts, .steps] { _ = statement.take(counter) }
    let start = Monotonic.now()
    var rows = 0
    while try statement.advance() { rows += 1 }
    return Cost(
      rows: rows,
      scannedRows: statement.take(.scannedRows),
      sorts: statement.take(.sorts),
      steps: statement.take(.steps),
      microseconds: (Monotonic.now() - start) / 1000
    )
  }

  /// Appends the terminal frame.
  func answer(_ reply: ReplyWriter, to writer: inout JSONWriter) {
    reply.ok(to: &writer) { writer in
      writer.raw("{\"predicate\":")
      if let predicate {
        writer.write(predicate)
        writer.raw(",\"text\":")
        writer.string(PredicatePrinter.text(predicate))
      } else {
        writer.raw("null")
      }
      writer.raw(",\"sql\":")
      writer.string(sql)
      writer.raw(",\"plan\":")
      writer.names(plan.lines)
      writer.raw(",\"uses\":")
      writer.names(plan.indexes)
      writer.raw(",\"fullScan\":")
      writer.bool(plan.isFullScan)
      if let advice { write(advice, to: &writer) }
      if let cost { write(cost, to: &writer) }
      writer.raw("}")
    }
  }

  private func write(_ advice: IndexAdvice, to writer: inout JSONWriter) {
    writer.raw(",\"advice\":")
    writer.string(advice.text)
    guard let index = advice.index else { return }
    writer.raw(",\"index\":")
    writer.names([index.entity, index.attribute])
  }

  private func write(_ cost: Cost, to writer: inout JSONWriter) {
    writer.raw(",\"run\":{\"rows\":")
    writer.integer(cost.rows)
    writer.raw(",\"scanned\":")
    writer.integer(cost.scannedRows)
    writer.raw(",\"sorts\":")
    writer.integer(cost.sorts)
    writer.raw(",\"steps\":")
    writer.integer(cost.steps)
    writer.raw(",\"microseconds\":")
    writer.integer(cost.microseconds)
    writer.raw("}")
  }
}

/// Why a read may have been slow.
package struct SlowReadReport: Sendable {
  /// Whether every row of a table is looked at.
  package var isFullScan: Bool
  /// What would make it faster; it has names but no values.
  package var advice: String?
}

extension QuickReader {
  /// Tells why a read may have been slow, without running it again.
  ///
  /// - Parameters:
  ///   - operation: The read.
  ///   - catalog: The schema.
  /// - Returns: What there is to say, or `nil` if it isn't a read with a predicate.
  package func report(on operation: Operation, catalog: Catalog) -> SlowReadReport? {
    let read: ExplainRequest.Read
    switch operation {
    case .fetch(let request): read = .fetch(request)
    case .count(let request), .exists(let request): read = .count(request)
    case .aggregate(let request): read = .aggregate(request)
    default: return nil
    }
    guard let plan = plan(of: read, catalog) else { return nil }
    let advice = IndexAdvice(read, plan, in: catalog.schema)
    return SlowReadReport(isFullScan: plan.isFullScan, advice: advice?.text)
  }
}
