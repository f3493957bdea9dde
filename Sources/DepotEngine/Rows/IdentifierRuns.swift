internal import DepotProtocol

/// Identifiers in an order, as runs of those that follow each other.
struct IdentifierRuns {
  private(set) var list: [(first: Int64, count: Int)] = []

  /// Adds an identifier; 0 stands for none.
  mutating func append(_ identifier: Int64) {
    if let last = list.last,
      identifier == 0
        ? last.first == 0 : last.first != 0 && last.first + Int64(last.count) == identifier
    {
      list[list.count - 1].count += 1
    } else {
      list.append((identifier, 1))
    }
  }
}

extension JSONWriter {
  /// Writes the runs of each batch.
  mutating func write(_ batches: [IdentifierRuns]) {
    raw("[")
    for (index, runs) in batches.enumerated() {
      raw(index > 0 ? ",[" : "[")
      for (index, run) in runs.list.enumerated() {
        raw(index > 0 ? ",[" : "[")
        integer(run.first)
        raw(",")
        integer(run.count)
        raw("]")
      }
      raw("]")
    }
    raw("]")
  }

  /// Writes the versions of rows as runs of those that follow each other and have the same.
  mutating func writeRuns(_ rows: [(identifier: Int64, version: Int64)]) {
    raw("[")
    var start = 0
    while start < rows.count {
      var end = start + 1
      while end < rows.count, rows[end].version == rows[start].version,
        rows[end].identifier == rows[end - 1].identifier + 1
      {
        end += 1
      }
      raw(start > 0 ? ",[" : "[")
      integer(rows[start].identifier)
      raw(",")
      integer(rows[start].version)
      raw(",")
      integer(end - start)
      raw("]")
      start = end
    }
    raw("]")
  }
}
