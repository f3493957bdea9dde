public import DepotProtocol

/// A watched count or aggregate at one token.
public struct LiveAnswer<Value: Sendable>: Sendable {
  /// The token since which it has this value.
  public let token: HistoryToken
  public let value: Value
}

/// The values of a watched count or aggregate: the current one, and then each different one.
///
/// Each iterator is a watch of its own, which begins when the first value is requested and ends
/// with the loop. After a lost connection the watch continues, and returns nothing if the value is
/// the same.
public struct WatchedAnswers<Value: Sendable>: AsyncSequence, Sendable {
  let client: Client
  let request: Result<WatchRequest, DepotError>
  let reader: AnswerReader<Value>

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// One watch.
  public struct Iterator: AsyncIteratorProtocol {
    private var source: Result<WatchStream, DepotError>
    private var reader: AnswerReader<Value>
    private var isFinished = false

    fileprivate init(_ sequence: WatchedAnswers) {
      source = sequence.request.map { WatchStream(sequence.client, $0) }
      reader = sequence.reader
    }

    /// Waits for the next value.
    ///
    /// - Throws: ``DepotError`` if the watch fails, `CancellationError` if the task was cancelled.
    public mutating func next() async throws -> LiveAnswer<Value>? {
      guard !isFinished else { return nil }
      do {
        var stream = try source.get()
        while true {
          let part = try await stream.next(since: reader.token)
          source = .success(stream)
          switch part {
          case .frame(let bytes): if let answer = try reader.receive(bytes) { return answer }
          case .interrupted: reader.restart()
          }
        }
      } catch {
        isFinished = true
        source = .failure(DepotError(.disconnected, "The watch is over."))
        throw error
      }
    }
  }
}

@available(*, unavailable)
extension WatchedAnswers.Iterator: Sendable {}

/// The frames of a watched count or aggregate as values.
package struct AnswerReader<Value: Sendable>: Sendable {
  /// Reads a value from the texts of arrays of rows.
  typealias Decoding = @Sendable ([RowFrame]) throws -> Value

  private let decode: Decoding
  /// The rows of an answer that isn't complete.
  private var parts: [RowFrame] = []
  private var isPending = false
  /// The text of the last answer.
  private var last: [[UInt8]]?
  /// The token up to which everything was received.
  package private(set) var token: HistoryToken?

  init(_ decode: @escaping Decoding) {
    self.decode = decode
  }

  /// Forgets incomplete parts, because the connection was lost.
  package mutating func restart() {
    parts = []
    isPending = false
  }

  /// Takes a frame; returns the answer that it completes if that differs from the last one.
  ///
  /// - Throws: ``DepotError`` if it isn't a frame of a watch or its rows have the wrong form.
  package mutating func receive(_ bytes: [UInt8]) throws -> LiveAnswer<Value>? {
    guard let frame = try LiveFrame(bytes) else { return nil }
    switch frame.kind {
    case .snapshot, .change, .resume:
      isPending = true
      if let offset = frame.rowsOffset {
        var rows = RowFrame(bytes: bytes, offset: offset, columns: frame.columns)
        rows.reading.hasIdentity = false
        parts.append(rows)
      }
      guard frame.kind == .change, !frame.hasMore else { return nil }
    case .gap:
      restart()
      return nil
    case .live, .mark: break
    }
    guard let token = frame.token else { return nil }
    self.token = token
    guard isPending else { return nil }
    let answer = parts
    restart()
    let texts = try answer.flatMap { try $0.rowTexts() }
    guard texts != last else { return nil }
    last = texts
    return LiveAnswer(token: token, value: try decode(answer))
  }
}

extension AnswerReader<Int> {
  /// A reader of a count.
  package static var count: AnswerReader {
    AnswerReader { frames in
      var count: Int?
      for frame in frames { try frame.forEachRow { count = try $0.next(Int.self) } }
      guard let count else { throw DepotError.missingRow }
      return count
    }
  }
}

extension RowFrame {
  /// Returns the text of each row.
  fileprivate func rowTexts() throws -> [[UInt8]] {
    var texts: [[UInt8]] = []
    try forEachRow { row in
      var text: [UInt8] = []
      while !row.isAtEndOfRow() {
        text += try row.text()
        text.append(UInt8(ascii: ","))
      }
      texts.append(text)
    }
    return texts
  }
}
