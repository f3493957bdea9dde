/// Counts about a store since it was opened.
package struct StoreStatistics: Sendable {
  package var commits = 0
  /// The number of executed requests.
  package var writes = 0
  package var failedWrites = 0
  /// The number of requests that failed because the disk was full.
  package var writesWithoutRoom = 0
  /// The number of requests whose idempotency key already had an outcome.
  package var repeatedWrites = 0
  package var rowsInserted = 0
  package var rowsUpdated = 0
  package var rowsDeleted = 0
  package var checkpoints = 0
  /// The number of checkpoints that readers prevented from copying everything.
  package var incompleteCheckpoints = 0
  /// Whether the store was compacted, so that its files shrink as soon as no reader uses the log.
  package var isShortening = false
  /// The used size of the write-ahead log in bytes.
  package var walBytes = 0
  /// The number of requests in the last transaction.
  package var lastBatch = 0
  package var largestBatch = 0
  /// The total time of commits, including the disk.
  package var commitNanoseconds: UInt64 = 0
  /// The number of commits by their duration.
  ///
  /// Entry i counts the ones under 2^i and at least half of that, in microseconds; the last entry
  /// also counts all slower ones.
  package var commitHistogram = InlineArray<24, Int>(repeating: 0)

  /// The state of the store's cluster; `nil` if the store isn't in one.
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
