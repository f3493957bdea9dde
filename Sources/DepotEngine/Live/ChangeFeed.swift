internal import DepotLinux
internal import Synchronization

/// The queue of commits for the thread of ``LiveQueries``.
///
/// Adding a commit does nothing else, so that watchers can't slow the store down.
package final class ChangeFeed: Sendable {
  private let state = Mutex(State())

  private struct State: Sendable {
    var commits: [CommittedChanges] = []
    /// The monotonic time when the first of them was added.
    var since: UInt64 = 0
    var rowCount = 0
    var listener: (@Sendable () -> Void)?
    var isAnnounced = false
  }

  /// The most changed rows in the queue; beyond that, only the changed tables are kept.
  private static let rowLimit = 500_000

  package init() {}

  /// Adds committed transactions.
  package func add(_ commits: [CommittedChanges]) {
    let listener: (@Sendable () -> Void)? = state.withLock { state in
      guard let listener = state.listener else { return nil }
      if state.commits.isEmpty { state.since = Monotonic.now() }
      for index in commits.indices { state.rowCount += commits[index].rowCount }
      if state.commits.isEmpty { state.commits = commits } else { state.commits += commits }
      if state.rowCount > Self.rowLimit {
        for index in state.commits.indices { state.commits[index].forgetRows() }
        state.rowCount = 0
      }
      defer { state.isAnnounced = true }
      return state.isAnnounced ? nil : listener
    }
    listener?()
  }

  /// Calls `listener` when commits are added; with `nil`, commits are ignored from now on.
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

  /// Removes and returns all commits, with the time of the first.
  ///
  /// The listener is called again for the next commit.
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

  /// Keeps only the changed tables.
  fileprivate mutating func forgetRows() {
    for name in tables.keys { tables[name] = TableChanges(isMany: true) }
    for name in links.keys { links[name] = LinkRows(isMany: true) }
  }
}
