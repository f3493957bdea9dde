public import DepotProtocol

/// The rows of a fetch as they arrive, frame by frame.
///
/// At most ``ClientOptions/window`` frames are held; the service waits until they are consumed, for
/// as long as that takes. If so much is written meanwhile that it can't keep the snapshot, the
/// sequence throws ``DepotError`` `stream.expired`. Leaving the loop early cancels the fetch on the
/// service. Each iterator makes a fetch of its own.
public struct FetchedFrames: AsyncSequence, Sendable {
  let client: Client
  let operation: Operation
  let deadline: Duration?

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// The frames of one fetch, which begins when the first one is asked for.
  public struct Iterator: AsyncIteratorProtocol {
    private let source: FetchedFrames
    private var stream: OpenCall?
    private var isFinished = false
    /// The result at the end of the stream.
    package private(set) var result: JSONNode?

    fileprivate init(_ source: FetchedFrames) {
      self.source = source
    }

    /// Waits for the next frame; `nil` after the last.
    ///
    /// - Throws: ``DepotError`` if the fetch fails, `CancellationError` if the task was cancelled.
    public mutating func next() async throws -> RowFrame? {
      guard !isFinished else { return nil }
      do {
        let stream =
          try stream ?? OpenCall(source.client, source.operation, deadline: source.deadline)
        self.stream = stream
        switch try await source.client.core.nextFrame(stream.ticket) {
        case .frame(var frame):
          frame.reading = RowReading(source.operation)
          return frame
        case .end(let node):
          result = node
          finish()
          return nil
        }
      } catch {
        finish()
        throw error
      }
    }

    private mutating func finish() {
      isFinished = true
      stream = nil
    }
  }
}

@available(*, unavailable)
extension FetchedFrames.Iterator: Sendable {}

extension Client {
  /// Returns the rows that a request describes as a sequence of frames.
  ///
  /// - Parameters:
  ///   - request: The rows and their order.
  ///   - deadline: How long the whole fetch may take at most.
  /// - Returns: The sequence. Nothing is sent before its first element is asked for.
  public func fetchFrames(_ request: FetchRequest, deadline: Duration? = nil) -> FetchedFrames {
    FetchedFrames(client: self, operation: .fetch(request), deadline: deadline)
  }

  /// Returns the groups that a request describes as a sequence of frames, whose rows have no
  /// identifiers.
  public func aggregateFrames(
    _ request: AggregateRequest,
    deadline: Duration? = nil
  ) -> FetchedFrames {
    FetchedFrames(client: self, operation: .aggregate(request), deadline: deadline)
  }

  /// Calls `body` with each row of a stream; returns the result that comes at its end.
  package func stream(
    _ operation: Operation,
    _ deadline: Duration?,
    _ body: (inout RowReader) throws -> Void
  ) async throws -> JSONNode {
    let source = FetchedFrames(client: self, operation: operation, deadline: deadline)
    var frames = source.makeAsyncIterator()
    while let frame = try await frames.next() { try frame.forEachRow(body) }
    guard let result = frames.result else { throw DepotError.missingRow }
    return result
  }
}
