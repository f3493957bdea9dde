internal import DepotClientCore
internal import DepotProtocol

/// The operations of the service that an import of related rows needs.
protocol GraphService {
  /// Sends changes, which are stored once for each key; ``finish()`` must be called next.
  func begin(_ request: SaveRequest, key: String?)
  /// Waits for the changes sent last.
  func finish() throws -> SaveResult
  /// Returns the existing rows with these natural keys.
  func find(_ key: NaturalKey, _ values: [Value]) throws -> [(Value, Int64)]
  /// Returns the result of changes made in a group after a token, from the history, or `nil`.
  func outcome(
    of request: SaveRequest,
    inGroup group: String,
    after token: HistoryToken?
  ) throws -> SaveResult?
}

extension GraphService {
  /// Stores changes, at most once for each key.
  func save(_ request: SaveRequest, key: String?) throws -> SaveResult {
    begin(request, key: key)
    return try finish()
  }
}

/// The service at the other end of a connection.
struct ConnectedGraphService: GraphService {
  let connection: ImportConnection

  private static let lookupCount = 1000

  func begin(_ request: SaveRequest, key: String?) { connection.begin(request, key: key) }

  func finish() throws -> SaveResult { try connection.finish() }

  func outcome(
    of request: SaveRequest,
    inGroup group: String,
    after token: HistoryToken?
  ) throws -> SaveResult? {
    try connection.attempt { try $0.outcome(of: request, inGroup: group, after: token) }
  }

  func find(_ key: NaturalKey, _ values: [Value]) throws -> [(Value, Int64)] {
    var result: [(Value, Int64)] = []
    for start in stride(from: 0, to: values.count, by: Self.lookupCount) {
      let part = values[start..<min(start + Self.lookupCount, values.count)]
      let request = FetchRequest(
        entity: key.entity,
        predicate: .in(.attribute(key.path), part.map(QueryExpression.value)),
        select: key.isIdentifier ? [] : [key.path]
      )
      let before = result.count
      try connection.attempt { connection in
        result.removeSubrange(before...)
        try WholeStore.fetch(request, connection) { identifier, values in
          let value: Value? =
            key.isIdentifier
            ? .int64(identifier)
            : values[key.path].flatMap { try? JSONDocument($0).root.value(as: key.type) }
          if let value { result.append((value, identifier)) }
        }
      }
    }
    return result
  }
}

extension Importer.Outcome {
  /// Adds the outcome of another file.
  mutating func add(_ other: Self) {
    inserted += other.inserted
    updated += other.updated
    skipped += other.skipped
  }

  /// Adds the outcome of a request.
  mutating func add(
    _ result: SaveResult,
    _ pending: ImportJournal.Pending,
    onConflict: InsertRequest.OnConflict
  ) {
    // Rows inside of records are in a request only if they weren't found, so they are new.
    let inside = pending.related.values.reduce(0, +)
    related.merge(pending.related, uniquingKeysWith: +)
    let new = max(0, result.inserted - inside)
    inserted += new
    updated += result.updated
    if onConflict == .skip { skipped += max(0, pending.records.count - new - result.updated) }
  }
}
