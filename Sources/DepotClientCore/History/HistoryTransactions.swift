internal import DepotProtocol

/// The transactions of a store's history, as they arrive.
///
/// A transaction that is too large for a frame comes in several pieces with the same token. At most
/// ``ClientOptions/window`` frames are held; the service waits until they are consumed. Leaving the loop
/// early cancels the read on the service. Each iterator reads anew.
public struct HistoryTransactions: AsyncSequence, Sendable {
  let frames: FetchedFrames

  public func makeAsyncIterator() -> Iterator { Iterator(frames: frames.makeAsyncIterator()) }

  /// The transactions of one read, which begins when the first one is asked for.
  public struct Iterator: AsyncIteratorProtocol {
    private var frames: FetchedFrames.Iterator
    private var pieces: ArraySlice<HistoryTransaction> = []
    /// The end of the read, once it has ended.
    public private(set) var end: HistoryEnd?

    fileprivate init(frames: FetchedFrames.Iterator) { self.frames = frames }

    /// Waits for the next transaction; `nil` after the last.
    ///
    /// - Throws: ``DepotError`` `history.expired` and others, `CancellationError` if the task was
    ///   cancelled.
    public mutating func next() async throws -> HistoryTransaction? {
      while true {
        if let piece = pieces.popFirst() { return piece }
        guard let frame = try await frames.next() else {
          end = try frames.result.map { node throws(DepotError) in try HistoryEnd(node) }
          return nil
        }
        pieces = try HistoryTransaction.list(in: frame)[...]
      }
    }
  }
}

@available(*, unavailable)
extension HistoryTransactions.Iterator: Sendable {}
