/// A store in a cluster, as a service of it sees that.
package struct ClusterState: Hashable, Sendable {
  package var safety: ClusterSafety
  /// The number of the service, which no other of the store ever has.
  package var service: Int64
  /// How many commits there are, and about how many bytes they have, since all pages were written into the
  /// cluster.
  package var commitsSinceBase: Int64
  package var bytesSinceBase: Int
  /// Whether the cluster took the last commit that it was given, and answered.
  package var isReachable: Bool
  /// How often the connection that writes waited for the cluster; it begins anew with each connection.
  package var roundTrips: Int
}

/// The counts of a store since it was opened.
package struct StoreStatistics: Hashable, Sendable {
  package var commits = 0
  /// Requests that were applied.
  package var writes = 0
  package var failedWrites = 0
  /// How many of them were refused for want of room on the disk.
  package var writesWithoutRoom = 0
  /// Requests whose idempotency key had an outcome already.
  package var repeatedWrites = 0
  package var rowsInserted = 0
  package var rowsUpdated = 0
  package var rowsDeleted = 0
  package var checkpoints = 0
  /// Checkpoints that readers kept from copying everything.
  package var incompleteCheckpoints = 0
  /// Whether the store was compacted, and its files get shorter as soon as nobody reads from the log.
  package var isShortening = false
  /// The size of the write-ahead log that is in use.
  package var walBytes = 0
  /// How many requests the last transaction held.
  package var lastBatch = 0
  package var largestBatch = 0
  /// The time that commits took, disk included.
  package var commitNanoseconds: UInt64 = 0
  /// How many commits took less than 2^i microseconds, and not less than half of that; the last
  /// counts all slower ones too.
  package var commitHistogram = [Int](repeating: 0, count: 24)

  /// The state of the store's cluster; `nil` if the store lives in its file.
  package var cluster: ClusterState?

  package init() {}

  mutating func addCommit(nanoseconds: UInt64) {
    commits += 1
    commitNanoseconds += nanoseconds
    let microseconds = nanoseconds / 1000
    let bucket = UInt64.bitWidth - microseconds.leadingZeroBitCount
    commitHistogram[min(bucket, commitHistogram.count - 1)] += 1
  }
}
