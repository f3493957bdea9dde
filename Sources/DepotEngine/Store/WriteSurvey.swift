package import DepotProtocol

/// The running and the waiting writes of a store at one moment.
@Memberwise
package struct WriteSurvey: Sendable {
  /// A write, by the server's number of its call.
  @Memberwise
  package struct Write: Sendable {
    package let token: UInt64
    package let operation: Operation
  }

  /// The writes of the present transaction, also while it is prepared or being committed.
  package var running: [Write] = []
  /// The monotonic time when the first of them began.
  package var since: UInt64 = 0
  /// The first of the waiting writes, about in the order of their execution.
  package var waiting: [Write] = []
  /// The number of all waiting writes.
  package var waitingCount: Int = 0
  /// The monotonic time when the store began to wait for other services of its cluster.
  ///
  /// It is 0 if the store doesn't wait, and `nil` if it isn't in a cluster.
  package var clusterWait: UInt64? = nil

  package var isEmpty: Bool { running.isEmpty && waitingCount == 0 }
}
