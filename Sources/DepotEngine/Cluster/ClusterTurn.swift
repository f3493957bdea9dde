internal import DepotLinux
internal import Synchronization

/// The wait of a service's write for its turn in a cluster, which other threads may look at.
final class ClusterTurn: Sendable {
  private let start = Atomic<UInt64>(0)

  /// The monotonic time when a write began to wait; 0 if none waits.
  var since: UInt64 { start.load(ordering: .relaxed) }

  func begin() { start.store(Monotonic.now(), ordering: .relaxed) }

  func end() { start.store(0, ordering: .relaxed) }
}
