public import DepotProtocol

/// What a watch of a store's history tells.
public enum HistoryEvent: Sendable {
  case transaction(HistoryTransaction)
  /// There was nothing else up to a moment.
  case current(HistoryToken)
  /// Transactions after the first moment up to the second were left out, because the loop was too slow.
  case gap(from: HistoryToken?, to: HistoryToken?)
  /// The connection was lost; the watch goes on where it was when there is one again.
  case interrupted(DepotError)
}

/// The transactions of a store as they are committed, in their order.
///
/// Each iterator is a watch of its own, which begins when the first event is asked for and ends with the
/// loop. After a lost connection it goes on with the first transaction that it didn't tell.
public struct WatchedHistory: AsyncSequence, Sendable {
  let client: Client
  let request: WatchRequest

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// One watch.
  public struct Iterator: AsyncIteratorProtocol {
    private var stream: WatchStream
    private var reader: HistoryReader
    private var events: [HistoryEvent] = []
    private var position = 0
    private var isFinished = false

    fileprivate init(_ sequence: WatchedHistory) {
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
  }
}

@available(*, unavailable)
extension WatchedHistory.Iterator: Sendable {}

/// The frames of a watched history as what they tell.
struct HistoryReader: Sendable {
  /// The parts of a transaction that isn't complete.
  private var pending: HistoryTransaction?
  /// The moment up to which everything was told.
  private(set) var token: HistoryToken?

  init(since token: HistoryToken? = nil) {
    self.token = token
  }

  /// Forgets what came incompletely, because the connection was lost.
  mutating func restart() {
    pending = nil
  }

  /// Takes a frame; returns what it tells.
  ///
  /// - Throws: ``DepotError`` if it isn't a frame of a watched history.
  mutating func receive(_ bytes: [UInt8]) throws(DepotError) -> [HistoryEvent] {
    guard let frame = try LiveFrame(bytes) else { return [] }
    var events: [HistoryEvent] = []
    switch frame.kind {
    case .change, .snapshot, .resume:
      let list = try HistoryTransaction.list(inFrame: bytes)
      for (index, piece) in list.enumerated() {
        let transaction = joined(piece)
        if frame.hasMore, index == list.count - 1 {
          pending = transaction
        } else if isNew(transaction.token) {
          token = transaction.token
          events.append(.transaction(transaction))
        }
      }
    case .live, .mark: break
    case .gap:
      pending = nil
      if let to = frame.gap.to { token = to }
      return [.gap(from: frame.gap.from, to: frame.gap.to)]
    }
    if !frame.hasMore, let moment = frame.token, isNew(moment) || frame.kind == .live {
      token = moment
      events.append(.current(moment))
    }
    return events
  }

  private func isNew(_ other: HistoryToken) -> Bool {
    guard let token, token.store == other.store else { return true }
    return token < other
  }

  /// Adds a piece to those of the same transaction.
  private mutating func joined(_ piece: HistoryTransaction) -> HistoryTransaction {
    guard var whole = pending, whole.token == piece.token else { return piece }
    pending = nil
    whole.changes += piece.changes
    return whole
  }
}

extension Client {
  /// Watches the transactions of the store.
  ///
  /// - Parameters:
  ///   - entity: The entity whose changes are wanted, with those that descend from it; all of them if
  ///     `nil`.
  ///   - token: The moment after which to begin; now if `nil`.
  ///   - options: How to behave.
  /// - Returns: The sequence of what happens.
  public func watchHistory(
    of entity: String? = nil,
    since token: HistoryToken? = nil,
    options: WatchOptions = WatchOptions()
  ) -> WatchedHistory {
    var request = WatchRequest(.history(entity: entity), options)
    request.since = token
    return WatchedHistory(client: self, request: request)
  }
}
