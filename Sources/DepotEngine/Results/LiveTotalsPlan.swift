internal import DepotProtocol
internal import DepotSQLite

/// The plan for reading the contribution of rows to a watched count or groups.
struct LiveTotalsPlan {
  private let parts: [LiveTotals.Part]
  private let keyCount: Int
  private let all: ReadStatement
  private let some: ReadStatement

  /// Makes the plan; `nil` if totals can't be updated from changed rows.
  ///
  /// That is so for minima, maxima, rounded sums, and groups that are filtered or sorted by their
  /// values.
  init?(_ request: WatchRequest.Subject, in catalog: Catalog) throws(DepotError) {
    let query: RowQuery
    var columns: [Fragment] = []
    switch request {
    case .count(let request):
      query = try RowQuery(request, in: catalog)
      (parts, keyCount) = ([.rows], 0)
    case .aggregate(let request):
      guard request.having == nil, request.sort.isEmpty, request.limit == nil, request.offset == 0
      else { return nil }
      var grouped = try RowQuery(request, in: catalog)
      for key in request.keys {
        columns.append(try grouped.compiler.operand(key.expression).fragment)
      }
      var parts: [LiveTotals.Part] = []
      for value in request.values {
        guard let (part, column) = try Self.part(value, &grouped.compiler) else { return nil }
        parts.append(part)
        columns.append(column)
      }
      (self.parts, keyCount, query) = (parts, request.keys.count, grouped)
    default:
      return nil
    }
    let selection = "t0.id" + columns.reduce(Fragment(sql: "")) { $0 + ", " + $1 }
    all = try query.select(selection)
    some = try query.select(selection, and: .isListed)
  }

  private static func part(
    _ value: AggregateRequest.Value,
    _ compiler: inout QueryCompiler
  ) throws(DepotError) -> (LiveTotals.Part, Fragment)? {
    guard let expression = value.expression else { return (.rows, Fragment(sql: "0")) }
    let operand = try compiler.operand(expression)
    switch value.aggregate {
    case .count:
      let value = operand.presence ?? operand.fragment
      return (.values, "nullif((" + value + ") IS NOT NULL, 0)")
    case .sum where operand.type == .int64: return (.sum, operand.fragment)
    case .average where operand.type == .int64: return (.average, operand.fragment)
    default: return nil
    }
  }

  /// Reads all rows; returns `nil` if their contributions take too much memory.
  func totals(on connection: Connection) throws -> LiveTotals? {
    var totals = LiveTotals(parts, keyCount: keyCount)
    return try add(all, to: &totals, on: connection) ? totals : nil
  }

  /// Updates the totals for some rows; if it returns `false`, they can't be used any more.
  func update(
    _ totals: inout LiveTotals,
    _ identifiers: [Int64],
    on connection: Connection
  ) throws -> Bool {
    for identifier in identifiers { totals.remove(identifier) }
    return try add(some.listing(identifiers), to: &totals, on: connection)
  }

  private func add(
    _ rows: ReadStatement,
    to totals: inout LiveTotals,
    on connection: Connection
  ) throws -> Bool {
    let statement = try connection.prepared(rows)
    defer { statement.reset() }
    while try statement.step() {
      guard totals.add(statement.row) else { return false }
    }
    return true
  }
}
