internal import DepotProtocol

/// A list of identifiers, stored as runs of consecutive ones.
struct IdentifierRuns {
  private(set) var list: [(first: Int64, count: Int)] = []

  /// Adds an identifier; 0 means none.
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
    array(batches) { writer, runs in
      writer.array(runs.list) { $0.identifiers([$1.first, Int64($1.count)]) }
    }
  }

  /// Writes the versions of rows as runs of consecutive identifiers with equal versions.
  mutating func writeRuns(_ rows: [(identifier: Int64, version: Int64)]) {
    var runs: [(first: Int64, version: Int64, count: Int64)] = []
    for row in rows {
      if let last = runs.last, last.version == row.version,
        last.first + last.count == row.identifier
      {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((row.identifier, row.version, 1))
      }
    }
    array(runs) { $0.identifiers([$1.first, $1.version, $1.count]) }
  }
}
