internal import DepotEngine
internal import DepotProtocol

/// The flow control of a stream.
@Memberwise("source", "host")
struct RunningStream {
  /// The most frames that the client hasn't read yet.
  static let window = 8
  /// The same for a read whose frames' size isn't known yet.
  static let firstWindow = 1

  /// The producer of the frames.
  enum Source {
    case read(LongRead)
    case watch(LiveWatch, WatchedFrames)
  }

  let source: Source
  /// The store that is read.
  let host: StoreHost
  /// The number of frames that the client has requested; `nil` if only the socket limits them.
  var credit: Int?
  var granted: Int
  /// Whether its producer has begun, which the first granted frame starts.
  var hasBegun: Bool = true
  /// The number of frames that the reader of a read has made.
  private var received: Int = 0
  /// The size of the last frame; `nil` before the first.
  private var frameBytes: Int?

  /// The read; `nil` if the stream is a watch, which runs until its client cancels it.
  var read: LongRead? { if case .read(let read) = source { read } else { nil } }

  /// The delivery of the frames, if the stream is a watch.
  var watched: WatchedFrames? { if case .watch(_, let frames) = source { frames } else { nil } }

  /// Whether it is a watch, which ends only when its client cancels it.
  var isWatch: Bool { if case .watch = source { true } else { false } }

  /// Whether it holds a snapshot until its client has read all of it.
  var isLimited: Bool { read?.operation.isStream == true }

  /// The number of frames that the producer has made.
  var delivered: Int {
    switch source {
    case .read: received
    case .watch(_, let frames): frames.count
    }
  }

  /// Whether the stream can continue only with more credit.
  var isOutOfCredit: Bool { credit.map { delivered >= $0 } ?? false }

  /// The size of the granted frames that are still missing, in bytes; 0 for a watch.
  var grantedBytes: Int {
    isLimited ? max(0, granted - received) * (frameBytes ?? Limits.frameBytes) : 0
  }

  /// Adds frames of a read that its reader has made, with their total size.
  mutating func didReceive(_ count: Int, bytes: Int) {
    received += count
    if count > 0 { frameBytes = bytes / count }
  }

  /// Returns how many more frames may be produced now, and counts them as granted.
  mutating func takeGrant() -> Int {
    var window = Self.window
    if !isWatch {
      // Large frames are limited to about 1 MiB in total.
      let fitting = frameBytes.map { Limits.outboundSoftBytes / max(1, $0) } ?? Self.firstWindow
      window = max(1, min(window, fitting))
    }
    let wanted = min(delivered + window, credit ?? .max)
    let grant = max(0, wanted - granted)
    granted += grant
    return grant
  }

  /// Makes the producer check its call's control again.
  func wake() {
    switch source {
    case .read(let read): read.wake()
    case .watch(let watch, _): watch.wake()
    }
  }

  /// Makes the producer end with `error`.
  func stop(_ error: DepotError) {
    switch source {
    case .read(let read): read.stop(error)
    case .watch(let watch, _): watch.stop(error)
    }
  }

  /// Allows the producer to make more frames.
  func grant(_ frames: Int) {
    switch source {
    case .read(let read): read.grant(frames)
    case .watch(let watch, _): watch.grant(frames)
    }
  }
}
