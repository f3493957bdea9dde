package import DepotProtocol

/// The reading of a watched history's frames as events.
package struct HistoryReader: Sendable {
  /// The parts of a transaction that isn't complete.
  private var pending: HistoryTransaction?
  /// The token up to which all events were returned.
  package private(set) var token: HistoryToken?
  /// The gap that the watch left, until it was read from the history.
  package private(set) var gap: Gap?

  /// The transactions after one token up to another.
  package struct Gap: Hashable, Sendable {
    var from: HistoryToken?
    var to: HistoryToken?
    /// Whether its beginning isn't kept any more.
    var isCut = false
  }

  package init(since token: HistoryToken? = nil) {
    self.token = token
  }

  /// Forgets incomplete transactions, because the connection was lost.
  package mutating func restart() {
    pending = nil
    gap = nil
  }

  /// Takes a frame; returns its events.
  ///
  /// After a ``gap`` it must be filled before the next frame is taken.
  ///
  /// - Throws: ``DepotError`` if it isn't a frame of a watched history.
  package mutating func receive(_ bytes: [UInt8]) throws(DepotError) -> [HistoryEvent] {
    var list: [HistoryTransaction] = []
    let found = try LiveFrame(bytes) { (value) throws(DepotError) in
      list = try HistoryTransaction.list(&value)
    }
    guard let frame = found else { return [] }
    var events: [HistoryEvent] = []
    switch frame.kind {
    case .change, .snapshot, .resume:
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
      gap = Gap(from: token ?? frame.gap.from, to: frame.gap.to)
      return []
    }
    if !frame.hasMore, let moment = frame.token, isNew(moment) || frame.kind == .live {
      token = moment
      events.append(.current(moment))
    }
    return events
  }

  // MARK: - The gaps of a watch

  /// Returns the request for the missing transactions.
  package func missing(_ watch: WatchRequest) -> HistoryRequest {
    var request = HistoryRequest()
    if case .history(let history) = watch.subject { request = history }
    if gap?.isCut != true { request.since = (token ?? gap?.from).map(HistoryMoment.token) }
    request.until = gap?.to
    return request
  }

  /// Takes a transaction that was missing, or a piece of one; returns the one before it.
  package mutating func fill(_ piece: HistoryTransaction) -> [HistoryEvent] {
    if pending?.token == piece.token {
      pending = joined(piece)
      return []
    }
    defer { pending = piece }
    return takePending()
  }

  /// Continues after the gap; returns the last transaction that was missing.
  package mutating func closeGap() -> [HistoryEvent] {
    let events = takePending()
    if let to = gap?.to, isNew(to) { token = to }
    gap = nil
    return events
  }

  /// Whether the missing transactions are lost: not kept, or the store now has another history.
  package static func isLoss(_ error: DepotError) -> Bool {
    error.code == .historyExpired || error.code == .historyForeign
  }

  /// Records that the missing transactions, or the first of them, are lost.
  package mutating func lose(_ error: DepotError) -> [HistoryEvent] {
    var events = takePending()
    if error.code == .historyForeign {
      // A restored store has none of the transactions after the token that is known here.
      events.append(.gap(from: token ?? gap?.from, to: gap?.to))
      token = gap?.to
      gap = nil
      return events
    }
    let oldest = error.details?["oldest"]?.string.flatMap { try? HistoryToken($0) }
    var to = oldest.map { $0.advanced(by: -1) }
    if let end = gap?.to, to.map({ $0.sequence > end.sequence }) ?? true { to = end }
    events.append(.gap(from: token ?? gap?.from, to: to))
    // If the gap's beginning was cut before, another attempt would fail again.
    if gap?.isCut == true { gap = nil } else { gap?.isCut = true }
    if let to, isNew(to) { token = to }
    return events
  }

  private mutating func takePending() -> [HistoryEvent] {
    guard let transaction = pending else { return [] }
    pending = nil
    guard isNew(transaction.token) else { return [] }
    token = transaction.token
    return [.transaction(transaction)]
  }

  private func isNew(_ other: HistoryToken) -> Bool {
    guard let token, token.store == other.store else { return true }
    return token < other
  }

  /// Adds a piece to the earlier pieces of the same transaction.
  private mutating func joined(_ piece: HistoryTransaction) -> HistoryTransaction {
    guard var whole = pending, whole.token == piece.token else { return piece }
    pending = nil
    whole.changes += piece.changes
    return whole
  }
}

extension HistoryRequest {
  /// The part of the request that a watch can have.
  package var watched: HistoryRequest {
    HistoryRequest(
      entity: entity,
      identifiers: identifiers,
      properties: properties,
      author: author,
      hasValues: hasValues
    )
  }
}
