/// The last transactions that are in memory.
struct RecentChanges {
  /// The least number of transactions to keep, at most twice as many, and the most bytes of them.
  private static let countLimit = 64
  private static let byteLimit = 1 << 20

  /// The transaction after which all are in memory.
  private var floor: Int64
  private var sets: [ChangeSet] = []
  private var byteCount = 0

  init(after floor: Int64) { self.floor = floor }

  /// Adds a transaction, or raises the floor to it if its changes aren't in memory.
  mutating func add(_ commit: CommittedChanges) {
    guard let set = commit.set, !commit.isSchemaChange, set.token > sets.last?.token ?? floor else {
      self = RecentChanges(after: max(commit.token, sets.last?.token ?? floor))
      return
    }
    sets.append(set)
    byteCount += set.byteCount
    guard sets.count > 2 * Self.countLimit || byteCount > Self.byteLimit else { return }
    // Several are removed at once, since that moves all others.
    var count = max(0, sets.count - Self.countLimit)
    byteCount -= sets[..<count].reduce(0) { $0 + $1.byteCount }
    while byteCount > Self.byteLimit / 2, count < sets.count {
      byteCount -= sets[count].byteCount
      count += 1
    }
    floor = sets[count - 1].token
    sets.removeFirst(count)
  }

  /// Returns the transactions after one; `nil` if not all of them are in memory.
  func after(_ token: Int64) -> ArraySlice<ChangeSet>? {
    guard token >= floor else { return nil }
    return sets[sets.partitioningIndex { $0.token <= token }...]
  }
}
