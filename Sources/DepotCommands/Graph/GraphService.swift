internal import DepotClient
internal import DepotProtocol

/// What an import of related rows needs of the service.
protocol GraphService {
  /// Stores changes, at most once for each key.
  func save(_ request: SaveRequest, key: String?) throws -> GraphResult
  /// Returns the rows with these natural keys, as far as they are there.
  func find(_ key: NaturalKey, _ values: [Value]) throws -> [(Value, Int64)]
}

/// What a save did.
struct GraphResult: Equatable {
  var inserted = 0
  var updated = 0
  /// The permanent identifiers by the temporary ones.
  var identifiers: [String: Int64] = [:]
}

extension GraphResult {
  init(_ reply: JSONValue) {
    inserted = Int(reply["inserted"]?.int64 ?? 0)
    updated = Int(reply["updated"]?.int64 ?? 0)
    identifiers = (reply["ids"]?.object ?? [:]).compactMapValues(\.int64)
  }
}

/// The service behind a connection.
struct ConnectedGraphService: GraphService {
  let connection: BlockingConnection

  private static let lookupCount = 1000

  func save(_ request: SaveRequest, key: String?) throws -> GraphResult {
    GraphResult(try JSONValue(connection.perform(.save(request), key: key)))
  }

  func find(_ key: NaturalKey, _ values: [Value]) throws -> [(Value, Int64)] {
    var result: [(Value, Int64)] = []
    for start in stride(from: 0, to: values.count, by: Self.lookupCount) {
      let part = values[start..<min(start + Self.lookupCount, values.count)]
      let request = FetchRequest(
        entity: key.entity,
        predicate: .in(.attribute(key.path), part.map(QueryExpression.value)),
        select: [key.path]
      )
      // In a hierarchy the entity comes before what was selected.
      var place = 0
      _ = try connection.perform(.fetch(request)) { frame in
        if let names = frame.columns {
          place = (names.lastIndex(of: key.path) ?? 2) - 2
        }
        try frame.withRows(hasIdentity: true) { row in
          for _ in 0..<place { _ = try row.field() }
          let field = try row.field()
          if let value = field.value(as: key.type) { result.append((value, row.identifier)) }
          while !row.isAtEndOfRow() { _ = try row.field() }
        }
      }
    }
    return result
  }
}
