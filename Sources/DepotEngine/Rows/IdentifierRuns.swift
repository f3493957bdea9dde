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
