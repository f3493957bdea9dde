internal import Synchronization

/// Whether anybody wants to know what transactions change.
///
/// It may be raised and lowered from any thread. Whoever raises it and then begins to read misses nothing:
/// what the read doesn't see is made known.
package final class ChangeInterest: Sendable {
  private let count = Atomic<Int>(0)
  /// How many want to know the values of a column, by the table's root and the column's place.
  private let keys = Mutex<[String: [Int: Int]]>([:])
  private let keyVersion = Atomic<Int>(0)

  package init() {}

  package func raise() { count.add(1, ordering: .sequentiallyConsistent) }

  package func lower() { count.subtract(1, ordering: .sequentiallyConsistent) }

  package var isRaised: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

  // MARK: - Values

  /// Asks for the values of a column, before and after, with each change that is made known from then on,
  /// or takes that back.
  func want(_ place: Int, of root: String, _ isWanted: Bool) {
    keys.withLock { keys in
      let count = (keys[root]?[place] ?? 0) + (isWanted ? 1 : -1)
      keys[root, default: [:]][place] = count > 0 ? count : nil
    }
    keyVersion.add(1, ordering: .sequentiallyConsistent)
  }

  /// Another number whenever other values are wanted.
  var wantedVersion: Int { keyVersion.load(ordering: .sequentiallyConsistent) }

  /// Returns changes that another service has told as whoever is interested here takes them.
  ///
  /// Values are told by nobody else: who wants some of a table looks at all of it.
  func adapt(_ changes: CommittedChanges) -> CommittedChanges {
    var result = changes
    for (root, places) in wanted where !places.isEmpty && result.tables[root] != nil {
      result.tables[root] = TableChanges(isMany: true)
    }
    return result
  }

  /// The columns whose values are wanted, by the tables' roots.
  var wanted: [String: PlaceSet] { keys.withLock { $0.mapValues { PlaceSet($0.keys) } } }
}
