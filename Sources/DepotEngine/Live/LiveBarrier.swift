package import DepotProtocol
internal import Synchronization

/// The wish to know when a connection was told of everything that was committed before.
@Memberwise
package struct LiveBarrier: Sendable {
  /// The number of the connection.
  let connection: Int64
  let control: CallControl
  /// The transaction that is to be known.
  var target: Int64 = 0
  /// Gets the token of it, on the thread of ``LiveQueries``.
  let completion: @Sendable (Result<HistoryToken, DepotError>) -> Void
}

extension LiveQueries {
  /// Answers those who waited for what is known now.
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
  /// Whether its client was sent all that is known.
  fileprivate var isSettled: Bool {
    stage == .live && outbox.isEmpty && touches.isEmpty && running == nil
  }
}

/// A place for what a read brings, between two calls on its thread.
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
