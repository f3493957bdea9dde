package import DepotProtocol

extension BlockingConnection {
  /// Returns the result of a save that inserts rows, from the history; `nil` if it isn't there.
  ///
  /// An idempotency key is known for minutes; the history has a save as long as it is kept.
  ///
  /// - Parameters:
  ///   - request: The save.
  ///   - group: The save's group in the history; no other save of the group is after `token`.
  ///   - token: A token before it; the beginning of the history if `nil`.
  /// - Returns: The result; `nil` if it isn't there, or not all of its rows are new.
  /// - Throws: ``DepotError``.
  package func outcome(
    of request: SaveRequest,
    inGroup group: String,
    after token: HistoryToken?
  ) throws -> SaveResult? {
    guard let entity = request.inserts.first?.entity else { return nil }
    var tokens: [HistoryToken] = []
    let search = HistoryRequest(
      since: token.map(HistoryMoment.token),
      // Without a token, the entity identifies the store.
      entity: token == nil ? entity : nil,
      hasValues: false
    )
    do {
      try history(search) { transaction in
        if transaction.group == group, tokens.last != transaction.token {
          tokens.append(transaction.token)
        }
      }
    } catch let error as DepotError where error.code == .historyExpired {
      return nil
    }
    var result = SaveResult()
    var inserted: [String: [Int64]] = [:]
    for token in tokens {
      let one = HistoryRequest(until: token, limit: 1, isDescending: true, hasValues: false)
      try history(one) { transaction in
        for change in transaction.changes {
          if change.kind == .update { result.updated += 1 }
          guard change.kind == .insert else { continue }
          inserted[change.entity, default: []].append(change.identifier)
        }
      }
    }
    result.token = tokens.last
    result.inserted = inserted.values.reduce(0) { $0 + $1.count }
    guard let identifiers = try request.identifiers(inserted) else { return nil }
    result.identifiers = identifiers
    return result
  }
}

extension SaveRequest {
  /// Returns the identifiers of the rows to insert by their temporary ones, if as many rows of each entity were
  /// inserted; rows get identifiers in their order.
  fileprivate func identifiers(
    _ inserted: [String: [Int64]]
  ) throws(DepotError) -> [String: Int64]? {
    var names: [String: [String]] = [:]
    for list in inserts {
      guard let place = list.columns.firstIndex(of: "$id") else { return nil }
      for row in try list.rows.texts() {
        names[list.entity, default: []].append(try JSONDocument(Array(row[place])).root.string())
      }
    }
    guard names.mapValues(\.count) == inserted.mapValues(\.count) else { return nil }
    var result: [String: Int64] = [:]
    for (entity, names) in names {
      let pairs = zip(names, inserted[entity, default: []].sorted())
      result.merge(pairs) { first, _ in first }
    }
    return result
  }
}
