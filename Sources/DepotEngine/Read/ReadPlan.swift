internal import DepotProtocol
internal import DepotSQLite

/// SQLite's plan for a statement.
struct ReadPlan {
  /// The steps, a line for each.
  let lines: [String]
  /// The steps that look at rows of the store, not at those of groups that were made before.
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

  /// The names of the indexes that are used.
  var indexes: [String] {
    var result: [String] = []
    for line in lines {
      if line.contains("VIRTUAL TABLE INDEX") {
        // Ours are full-text and range indexes.
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

  /// Whether every row of a table is looked at.
  var isFullScan: Bool {
    reads.contains { line in
      line.hasPrefix("SCAN ") && !line.hasPrefix("SCAN (") && !line.contains("VIRTUAL TABLE")
        && line != "SCAN CONSTANT ROW"
    }
  }

  /// Whether rows are sorted because no index has them in their order.
  var isSorted: Bool { lines.contains { $0.hasPrefix("USE TEMP B-TREE FOR ORDER BY") } }

  /// Whether groups are made by sorting because no index has the rows in their order.
  var isGroupedBySorting: Bool { lines.contains { $0.hasPrefix("USE TEMP B-TREE FOR GROUP BY") } }
}
