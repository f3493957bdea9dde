/// The last transactions, as far as they are in memory.
struct RecentChanges {
  /// How many are kept, and how many bytes of them.
  private static let countLimit = 64
  private static let byteLimit = 1 << 20

  /// The last transaction before those that are all in memory.
  private var floor: Int64
  private var sets: [ChangeSet] = []
  private var byteCount = 0

  init(after floor: Int64) { self.floor = floor }

  /// Adds a transaction; of one that isn't in memory it is only noted that it was.
  mutating func add(_ commit: CommittedChanges) {
    guard let set = commit.set, !commit.isSchemaChange, set.token > sets.last?.token ?? floor else {
      self = RecentChanges(after: max(commit.token, sets.last?.token ?? floor))
      return
    }
    sets.append(set)
    byteCount += set.byteCount
    while sets.count > Self.countLimit || byteCount > Self.byteLimit {
      let first = sets.removeFirst()
      byteCount -= first.byteCount
      floor = first.token
    }
  }

  /// Returns the transactions after one; `nil` if not all of them are in memory.
  func after(_ token: Int64) -> ArraySlice<ChangeSet>? {
    guard token >= floor else { return nil }
    return sets[sets.place { $0.token <= token }...]
  }
}
