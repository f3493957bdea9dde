internal import DepotProtocol
internal import DepotSQLite

/// SQLite's plan for a statement.
struct ReadPlan {
  /// The steps, one per line.
  let lines: [String]
  /// The steps that read rows of the store, rather than computed groups.
  private let reads: [String]

  init(of statement: ReadStatement, on connection: Connection) throws {
    var steps: [(parent: Int64, line: String)] = []
    try connection.statement("EXPLAIN QUERY PLAN " + statement.sql).run(statement.parameters) {
      steps.append(($0.integer(1), $0.text(3)))
    }
    lines = steps.map(\.line)
    let isGrouped = lines.contains { $0 == "CO-ROUTINE t0" || $0 == "MATERIALIZE t0" }
    reads = steps.filter { !(isGrouped && $0.parent == 0) }.map(\.line)
  }

  /// The names of the used indexes.
  var indexes: [String] {
    var result: [String] = []
    for line in lines {
      if line.contains("VIRTUAL TABLE INDEX") {
        // The others are full-text and range indexes.
        let name = line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        let isIndex = name.hasPrefix("f_") || name.hasPrefix("g_")
        if isIndex, !result.contains(name) { result.append(name) }
        continue
      }
      guard let range = line.firstRange(of: "INDEX ") else { continue }
      let name = String(line[range.upperBound...].prefix { $0 != " " })
      if !result.contains(name) { result.append(name) }
    }
    return result
  }

  /// Whether every row of a table is visited.
  var isFullScan: Bool {
    reads.contains { line in
      line.hasPrefix("SCAN ") && !line.hasPrefix("SCAN (") && !line.contains("VIRTUAL TABLE")
        && line != "SCAN CONSTANT ROW"
    }
  }

  /// Whether rows are sorted, since no index has the required order.
  var isSorted: Bool { lines.contains { $0.hasPrefix("USE TEMP B-TREE FOR ORDER BY") } }

  /// Whether rows are sorted for grouping, since no index has the required order.
  var isGroupedBySorting: Bool { lines.contains { $0.hasPrefix("USE TEMP B-TREE FOR GROUP BY") } }
}
