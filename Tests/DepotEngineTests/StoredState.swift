import DepotProtocol
import DepotSQLite
import Testing

@testable import DepotEngine

/// What clients can read of the rows of ``Schema/recorded``, without identifiers and versions.
struct StoredState: Equatable {
  /// The properties of each row, by its entity and identifier.
  var values: [String: [String: JSONValue]] = [:]
  /// The links between nodes and tags.
  var links: Set<[Int64]> = []

  private static let entities = ["Node", "Leaf", "Tag", "Loud"]

  init(_ store: StoreFixture, _ path: String) throws {
    let reader = try QuickReader(path: path, budget: 60_000_000_000)
    for entity in Self.entities {
      var request = FetchRequest(entity: entity)
      request.includesSubentities = false
      let answer = try reader.answer(.fetch(request), store.store.catalog) ?? []
      let frames = try ReaderFixture.lines(answer)
      let columns = frames.first?["columns"]?.array?.compactMap(\.string) ?? []
      for row in frames.flatMap({ $0["next"]?.array ?? [] }) {
        var properties: [String: JSONValue] = [:]
        for (column, value) in zip(columns, row.array ?? []) where !column.hasPrefix("$") {
          properties[column] = value
        }
        values["\(entity)/\(row.array?.first?.int64 ?? 0)"] = properties
      }
    }
    for row in try rows(#"SELECT source, target FROM "j_Node.tags""#, in: path) {
      guard case .integer(let source) = row[0], case .integer(let target) = row[1] else { continue }
      links.insert([source, target])
    }
  }
}

/// Returns what `body` does; `nil` if it is refused, which must be for a reason that a client can have given.
func unlessRefused<Result>(
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Result
) async throws -> Result? {
  do {
    return try await body()
  } catch let error as DepotError {
    #expect(error.code != .bug, "\(error)", sourceLocation: sourceLocation)
    return nil
  }
}
