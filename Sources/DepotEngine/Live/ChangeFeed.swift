internal import DepotLinux
internal import Synchronization

/// Where commits wait until somebody looks at what they changed.
///
/// Adding to it takes no longer than that, so that nobody who watches can slow the store down.
package final class ChangeFeed: Sendable {
  private let state = Mutex(State())

  private struct State: Sendable {
    var commits: [CommittedChanges] = []
    /// When the first of them came, by the monotonic clock.
    var since: UInt64 = 0
    var rowCount = 0
    var listener: (@Sendable () -> Void)?
    var isAnnounced = false
  }

  /// How many changed rows may wait before only their tables are remembered.
  private static let rowLimit = 500_000

  package init() {}

  /// Hands over transactions that are on disk.
  package func add(_ commits: [CommittedChanges]) {
    let listener: (@Sendable () -> Void)? = state.withLock { state in
      guard let listener = state.listener else { return nil }
      if state.commits.isEmpty { state.since = Monotonic.now() }
      for commit in commits { state.rowCount += commit.rowCount }
      state.commits += commits
      if state.rowCount > Self.rowLimit {
        for index in state.commits.indices { state.commits[index].forgetRows() }
        state.rowCount = 0
      }
      defer { state.isAnnounced = true }
      return state.isAnnounced ? nil : listener
    }
    listener?()
  }

  /// Calls `listener` when there is something; `nil` drops what comes from then on.
  func listen(_ listener: (@Sendable () -> Void)?) {
    state.withLock { state in
      state.listener = listener
      state.isAnnounced = false
      if listener == nil {
        state.commits = []
        state.rowCount = 0
      }
    }
  }

  /// Takes the commits that have come, with the time of the first, and has the listener called for the next.
  func takeAll() -> (commits: [CommittedChanges], since: UInt64) {
    state.withLock { state in
      defer {
        state.commits = []
        state.rowCount = 0
        state.isAnnounced = false
      }
      return (state.commits, state.since)
    }
  }
}

extension CommittedChanges {
  fileprivate var rowCount: Int {
    tables.values.reduce(0) { $0 + $1.rows.count } + links.values.reduce(0) { $0 + $1.pairs.count }
  }

  /// Remembers only which tables changed.
  fileprivate mutating func forgetRows() {
    for name in tables.keys { tables[name] = TableChanges(isMany: true) }
    for name in links.keys { links[name] = LinkRows(isMany: true) }
  }
}
