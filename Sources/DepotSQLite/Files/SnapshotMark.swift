/// The position in a write-ahead log up to which a transaction reads.
struct SnapshotMark: Equatable {
  /// The random number (salt) of the log; it changes when the log is restarted.
  var log: UInt64
  /// The number of committed frames.
  var frameCount: Int
}
