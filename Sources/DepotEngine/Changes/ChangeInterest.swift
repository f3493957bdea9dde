internal import Synchronization

/// Whether changes of transactions must be published to watchers.
///
/// It may be raised and lowered from any thread. A watcher that raises it and then begins to read
/// misses nothing: changes after its snapshot are published.
package final class ChangeInterest: Sendable {
  private let count = Atomic<Int>(0)
  /// The number of watchers that need a column's values, by the root entity and the column's index.
  private let keys = Mutex<[String: [Int: Int]]>([:])
  private let keyVersion = Atomic<Int>(0)

  package init() {}

  package func raise() { count.add(1, ordering: .sequentiallyConsistent) }

  package func lower() { count.subtract(1, ordering: .sequentiallyConsistent) }

  package var isRaised: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

  // MARK: - Values

  /// Adds or removes the need for a column's values, before and after each published change.
  func want(_ place: Int, of root: String, _ isWanted: Bool) {
    keys.withLock { keys in
      let count = (keys[root]?[place] ?? 0) + (isWanted ? 1 : -1)
      keys[root, default: [:]][place] = count > 0 ? count : nil
    }
    keyVersion.add(1, ordering: .sequentiallyConsistent)
  }

  /// A number that changes whenever the needed columns change.
  var wantedVersion: Int { keyVersion.load(ordering: .sequentiallyConsistent) }

  /// Adapts changes from another service to the watchers here.
  ///
  /// Another service sends no values of columns, so a table with needed values counts as changed in
  /// any row.
  func adapt(_ changes: CommittedChanges) -> CommittedChanges {
    var result = changes
    for (root, places) in wanted where !places.isEmpty && result.tables[root] != nil {
      result.tables[root] = TableChanges(isMany: true)
    }
    return result
  }

  /// The columns with needed values, by root entity.
  var wanted: [String: ColumnSet] { keys.withLock { $0.mapValues { ColumnSet($0.keys) } } }
}
