internal import DepotProtocol

/// The transactions of a store's history, as they arrive.
///
/// A transaction that is too large for a frame comes in several pieces with the same token. At most
/// ``ClientOptions/window`` frames are held; the service waits until they are consumed. Leaving the loop
/// early cancels the read on the service. Each iterator reads anew.
public struct HistoryTransactions: AsyncSequence, Sendable {
  let client: Client
  let request: HistoryRequest
  let deadline: Duration?

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// The transactions of one read, which begins when the first one is asked for.
  public struct Iterator: AsyncIteratorProtocol {
    private let source: HistoryTransactions
    private var stream: Stream?
    private var pieces: ArraySlice<HistoryTransaction> = []
    private var isFinished = false
    /// What the read came to, once it has ended.
    public private(set) var end: HistoryEnd?

    fileprivate init(_ source: HistoryTransactions) {
      self.source = source
    }

    /// Waits for the next transaction; `nil` after the last.
    ///
    /// - Throws: ``DepotError`` `history.expired` and others, `CancellationError` if the task was
    ///   cancelled.
    public mutating func next() async throws -> HistoryTransaction? {
      if let piece = pieces.popFirst() { return piece }
      guard !isFinished else { return nil }
      do {
        let stream = try stream ?? Stream(source)
        self.stream = stream
        while true {
          switch try await stream.client.core.nextFrame(stream.ticket) {
          case .frame(let frame):
            pieces = try HistoryTransaction.list(inFrame: frame.bytes)[...]
            if let piece = pieces.popFirst() { return piece }
          case .end(let node):
            end = try node.map { node throws(DepotError) in try HistoryEnd(node) }
            finish()
            return nil
          }
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

  /// What cancels the read when nobody wants more of it.
  private final class Stream: Sendable {
    let client: Client
    let ticket: Int64

    init(_ source: HistoryTransactions) throws {
      client = source.client
      ticket = try source.client.core.openStream(
        .history(source.request),
        deadline: source.deadline
      )
    }

    deinit { client.core.closeStream(ticket) }
  }
}

@available(*, unavailable)
extension HistoryTransactions.Iterator: Sendable {}
