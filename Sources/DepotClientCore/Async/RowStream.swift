internal import DepotProtocol

/// The next part of a stream.
enum StreamPart: Sendable {
  case frame(RowFrame)
  /// The end, with its result unless that was returned already.
  case end(JSONNode?)
}

/// The received frames of one stream that weren't consumed yet, and the waiting consumer.
@Memberwise
struct RowStream: Sendable {
  typealias Consumer = CheckedContinuation<StreamPart, any Error>

  /// A waiting consumer, and the part that it gets.
  struct Delivery: Sendable {
    var consumer: Consumer
    var result: Result<StreamPart, any Error>
  }

  private var frames = Queue<RowFrame>()
  private var end: Result<JSONNode, any Error>?
  private var consumer: Consumer?
  private var consumed = 0
  /// How many frames may be on their way at once.
  private let window: Int
  /// Whether it is a watch, which continues until it is ended.
  let isWatch: Bool

  /// Whether all received frames were consumed, and the consumer waits for more.
  var isDrained: Bool { consumer != nil && frames.first == nil }

  /// Adds a frame.
  mutating func receive(_ frame: RowFrame) -> Delivery? {
    frames.append(frame)
    return deliver()
  }

  /// Ends the stream after the frames that are there.
  mutating func finish(_ result: Result<JSONNode, any Error>) -> Delivery? {
    end = result
    return deliver()
  }

  /// Records the consumer that waits for the next frame.
  mutating func wait(_ consumer: Consumer) -> Delivery? {
    self.consumer = consumer
    return deliver()
  }

  /// Returns how many more frames the service may send.
  mutating func takeCredit() -> Int? {
    guard consumed * 2 >= window, end == nil else { return nil }
    defer { consumed = 0 }
    return consumed
  }

  private mutating func deliver() -> Delivery? {
    guard let consumer else { return nil }
    let result: Result<StreamPart, any Error>
    if let frame = frames.first {
      frames.removeFirst()
      consumed += 1
      result = .success(.frame(frame))
    } else if let end {
      result = end.map { .end($0) }
    } else {
      return nil
    }
    self.consumer = nil
    return Delivery(consumer: consumer, result: result)
  }
}
