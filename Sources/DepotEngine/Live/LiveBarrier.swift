package import DepotProtocol
internal import Synchronization

/// A request to be called when a connection has received all earlier commits.
@Memberwise
package struct LiveBarrier: Sendable {
  /// The number of the connection.
  let connection: Int64
  let control: CallControl
  /// The transaction that the connection must have received.
  var target: Int64 = 0
  /// Receives the token of that transaction, on the thread of ``LiveQueries``.
  let completion: @Sendable (Result<HistoryToken, DepotError>) -> Void
}

extension LiveQueries {
  /// Calls the completions of barriers that are reached now.
  func settleBarriers() {
    guard !barriers.isEmpty else { return }
    let behind = Set(
      queries.values.lazy.filter { !$0.isSettled }.map(\.watch.connection)
    )
    var rest: [LiveBarrier] = []
    for barrier in barriers {
      do throws(DepotError) {
        try barrier.control.check()
        let isKnown = queries.isEmpty || known >= barrier.target
        if isKnown, !behind.contains(barrier.connection) {
          barrier.completion(.success(store.epochs.token(barrier.target)))
        } else {
          rest.append(barrier)
        }
      } catch {
        barrier.completion(.failure(error))
      }
    }
    barriers = rest
  }
}

extension LiveQuery {
  /// Whether its client has received all known changes.
  fileprivate var isSettled: Bool {
    stage == .live && outbox.isEmpty && dirtyRows.isEmpty && running == nil
  }
}

/// A box that passes the snapshot of a read between two calls on its thread.
final class SnapshotBox: Sendable {
  private let snapshot = Mutex<LiveSnapshot?>(nil)

  func put(_ value: LiveSnapshot) { snapshot.withLock { $0 = value } }

  func take() -> LiveSnapshot? {
    snapshot.withLock { snapshot in
      defer { snapshot = nil }
      return snapshot
    }
  }
}
