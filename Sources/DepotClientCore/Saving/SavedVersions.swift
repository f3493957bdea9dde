/// The versions of rows that a save has written, by their identifiers.
public struct SavedVersions: Hashable, Sendable {
  /// Rows whose identifiers follow each other, and that have the same version.
  struct Run: Hashable, Sendable {
    let first: Int64
    var count: Int64
    let version: Int64
  }

  /// The rows, by ascending identifiers.
  private var runs: [Run] = []

  /// Creates the versions of rows; each row is in one run.
  init(_ unsorted: [Run]) {
    for run in unsorted.sorted(by: { $0.first < $1.first }) {
      if let last = runs.last, last.version == run.version, run.first - last.first == last.count {
        runs[runs.count - 1].count += run.count
      } else {
        runs.append(run)
      }
    }
  }

  /// The number of rows.
  public var count: Int { runs.reduce(0) { $0 + Int($1.count) } }

  /// The version of a row; `nil` if the save hasn't written it.
  public subscript(identifier: Int64) -> Int64? {
    // the number of runs that begin at the row or before it
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].first <= identifier { low = middle + 1 } else { high = middle }
    }
    guard low > 0, identifier - runs[low - 1].first < runs[low - 1].count else { return nil }
    return runs[low - 1].version
  }
}

extension SavedVersions: ExpressibleByDictionaryLiteral {
  /// Creates the versions of rows with different identifiers.
  public init(dictionaryLiteral versions: (Int64, Int64)...) {
    self.init(versions.map { Run(first: $0.0, count: 1, version: $0.1) })
  }
}
