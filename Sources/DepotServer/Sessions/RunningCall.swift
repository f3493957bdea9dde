internal import DepotEngine
internal import DepotProtocol

/// A call without a terminal frame yet.
struct RunningCall {
  let call: Call
  let startedAt: UInt64
  let control: CallControl
  var stream: RunningStream?
  /// The requests submitted to stores for it, which may be withdrawn.
  var writes: [(host: StoreHost, token: UInt64)] = []
  /// The name of the pin that its answer will contain.
  var pin: String?
  /// Whether the executing operation was asked to stop.
  var isStopped = false

  /// The number of delivered frames of a stream.
  var delivered: Int { stream?.delivered ?? 0 }

  init(_ call: Call, control: CallControl, startedAt: UInt64) {
    self.call = call
    self.startedAt = startedAt
    self.control = control
  }
}
