internal import DepotProtocol
internal import DepotSQLite

/// A watched count or watched groups.
struct LiveValue {
  let request: WatchRequest.Subject
  let dependencies: QueryDependencies
  let names: [String]?
  /// The checksum of the client's answer; `nil` if it has none.
  var checksum: UInt64?
  /// The answer shared by all watches of the same shape.
  var shared: SharedAnswer
  /// The plan for reading rows for the totals.
  private let plan: LiveTotalsPlan?
  /// Writes the answer's rows from the totals.
  private let writing: RowWriting?

  init(_ request: WatchRequest.Subject, in catalog: Catalog) throws(DepotError) {
    self.request = request
    switch request {
    case .count(let count):
      (dependencies, plan) = try watched("count") { () throws(DepotError) in
        (try QueryDependencies(count, in: catalog), try LiveTotalsPlan(request, in: catalog))
      }
      (names, writing) = (nil, nil)
    case .aggregate(let aggregate):
      (dependencies, plan) = try watched("aggregate") { () throws(DepotError) in
        (try QueryDependencies(aggregate, in: catalog), try LiveTotalsPlan(request, in: catalog))
      }
      let stream = try watched("aggregate") { () throws(DepotError) in
        try StreamPlan(aggregate, in: catalog)
      }
      (names, writing) = (stream.form.names, stream.form.writing)
    default:
      throw DepotError(.bug, "Only counts and aggregates are values.")
    }
    shared = SharedAnswer(keepsTotals: plan != nil && !dependencies.isOpaque)
  }

  /// An answer, with the totals to update it from changed rows.
  struct Answer: Sendable {
    var rows: [[UInt8]]
    var totals: LiveTotals?
    /// The generation of its schema.
    var generation: Int
  }

  /// Runs the query.
  func answer(
    in catalog: Catalog,
    _ form: Int64Form,
    on connection: Connection
  ) throws -> Answer {
    var answer = Answer(rows: [], generation: catalog.generation)
    if shared.keepsTotals { answer.totals = try plan?.totals(on: connection) }
    if let totals = answer.totals {
      answer.rows = try rows(of: totals, form, connection)
    } else {
      answer.rows = try rows(in: catalog, form, connection)
    }
    return answer
  }

  /// Returns the answer after changes of some rows.
  ///
  /// They must include all rows changed since the last answer. It is `nil` if only a run of the
  /// whole query can find it.
  func update(
    _ identifiers: [Int64],
    _ form: Int64Form,
    at token: Int64,
    on connection: Connection
  ) throws -> [[UInt8]]? {
    if let rows = shared.rows(at: token) { return rows }
    guard let plan, var totals = shared.totals else { return nil }
    // A second reference would make each change copy the totals.
    shared.totals = nil
    if !identifiers.isEmpty, try !plan.update(&totals, identifiers, on: connection) {
      shared.keepsTotals = false
      return nil
    }
    shared.totals = totals
    let rows = try rows(of: totals, form, connection)
    shared.note(rows, at: token)
    return rows
  }

  /// Stores an answer found by a run, unless a later one is known.
  func note(_ answer: Answer, at token: Int64) {
    guard token >= shared.token else { return }
    shared.totals = answer.totals
    shared.keepsTotals = answer.totals != nil
    shared.note(answer.rows, at: token)
  }

  // MARK: - Rows

  private func rows(
    of totals: LiveTotals,
    _ form: Int64Form,
    _ connection: Connection
  ) throws -> [[UInt8]] {
    guard let writing else { return [Self.row(of: Int64(totals.count))] }
    var rows = GroupRows()
    for values in totals.answer {
      let marks = values.map { _ in "?" }.joined(separator: ", ")
      try connection.statement("SELECT " + marks).run(values) { try rows.add($0, writing, form) }
    }
    return rows.all
  }

  private func rows(
    in catalog: Catalog,
    _ form: Int64Form,
    _ connection: Connection
  ) throws -> [[UInt8]] {
    var rows = GroupRows()
    switch request {
    case .count(let request):
      let statement = try ReadStatement(count: request, in: catalog)
      return [Self.row(of: try statement.integer(on: connection))]
    case .aggregate(let request):
      let plan = try StreamPlan(request, in: catalog)
      try connection.statement(plan.statement.sql).run(plan.statement.parameters) {
        try rows.add($0, plan.form.writing, form)
      }
    default: break
    }
    return rows.all
  }

  private static func row(of count: Int64) -> [UInt8] {
    Array("[\(count)]".utf8)
  }
}

/// The rows of a watched aggregate, up to a limit.
private struct GroupRows {
  private(set) var all: [[UInt8]] = []
  private var byteCount = 0

  mutating func add(
    _ row: borrowing Row,
    _ writing: RowWriting,
    _ form: Int64Form
  ) throws(DepotError) {
    guard all.count < Limits.watchRows, byteCount <= Limits.frameBytes else {
      throw DepotError(
        .tooManyWatchedRows,
        "There are more than \(Limits.watchRows) groups or 16 MiB of them, too many to be watched."
      )
      .hint("Give the query a limit or a narrower predicate.")
    }
    let bytes = try writing.bytes(of: row, int64: form)
    byteCount += bytes.count
    all.append(bytes)
  }
}

/// Compiles a part of a `watch` request, and lets errors point to that part.
func watched<Result>(
  _ member: String,
  _ body: () throws(DepotError) -> Result
) throws(DepotError) -> Result {
  do {
    return try body()
  } catch {
    var error = error
    if let at = error.at, at.hasPrefix("/args") { error.at = "/args/" + member + at.dropFirst(5) }
    throw error
  }
}
