public import DepotProtocol

/// The events of a watch of a store's history.
public enum HistoryEvent: Sendable {
  case transaction(HistoryTransaction)
  /// There was nothing else up to a token.
  case current(HistoryToken)
  /// Transactions after the first token up to the second are lost: the history isn't kept that far
  /// back, or the store was restored and the first token belongs to another past.
  case gap(from: HistoryToken?, to: HistoryToken?)
  /// The connection was lost; the watch continues after the last event once there is one again.
  case interrupted(DepotError)
}

/// The transactions of a store as they are committed, in their order.
///
/// Each iterator is a watch of its own, which begins when the first event is requested and ends
/// with the loop. After a lost connection it continues with the first transaction that it didn't
/// return. Transactions that a slow loop missed are read from the history.
public struct WatchedHistory: AsyncSequence, Sendable {
  let client: Client
  let request: WatchRequest

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// One watch.
  public struct Iterator: AsyncIteratorProtocol {
    private let sequence: WatchedHistory
    private var stream: WatchStream
    /// The transactions that the watch left out, while they are read.
    private var missed: HistoryTransactions.Iterator?
    private var reader: HistoryReader
    private var events: [HistoryEvent] = []
    private var position = 0
    private var isFinished = false

    fileprivate init(_ sequence: WatchedHistory) {
      self.sequence = sequence
      stream = WatchStream(sequence.client, sequence.request)
      reader = HistoryReader(since: sequence.request.since)
    }

    /// Waits for the next event.
    ///
    /// - Throws: ``DepotError`` if the watch fails, `CancellationError` if the task was cancelled.
    public mutating func next() async throws -> HistoryEvent? {
      guard !isFinished else { return nil }
      do {
        while position == events.count {
          position = 0
          events = []
          if reader.gap != nil {
            events = try await nextMissed()
            continue
          }
          switch try await stream.next(since: reader.token) {
          case .frame(let bytes): events = try reader.receive(bytes)
          case .interrupted(let error):
            reader.restart()
            events = [.interrupted(error)]
          }
        }
        defer { position += 1 }
        return events[position]
      } catch {
        isFinished = true
        throw error
      }
    }

    /// Reads the next event that the watch left out from the history.
    private mutating func nextMissed() async throws -> [HistoryEvent] {
      do {
        if missed == nil {
          missed = sequence.client.history(reader.missing(sequence.request)).makeAsyncIterator()
        }
        if let piece = try await missed?.next() { return reader.fill(piece) }
        missed = nil
        return reader.closeGap()
      } catch let error as DepotError where HistoryReader.isLoss(error) {
        missed = nil
        return reader.lose(error)
      } catch let error as DepotError where [.disconnected, .draining].contains(error.code) {
        // The watch may continue, but without the missing transactions.
        missed = nil
        stream = WatchStream(sequence.client, sequence.request)
        reader.restart()
        return [.interrupted(error)]
      }
    }
  }
}

@available(*, unavailable)
extension WatchedHistory.Iterator: Sendable {}

extension Client {
  /// Watches the transactions of the store.
  ///
  /// - Parameters:
  ///   - request: Their entity, identifiers, properties, and author, and whether they have values;
  ///     the rest has no effect here.
  ///   - token: The token after which to begin; now if `nil`.
  ///   - options: How to behave.
  /// - Returns: The sequence of events.
  public func watchHistory(
    _ request: HistoryRequest = HistoryRequest(),
    since token: HistoryToken? = nil,
    options: WatchOptions = WatchOptions()
  ) -> WatchedHistory {
    var watch = WatchRequest(.history(request.watched), options)
    watch.since = token
    return WatchedHistory(client: self, request: watch)
  }
}
