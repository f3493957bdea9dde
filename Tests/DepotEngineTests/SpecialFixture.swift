import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

/// A store that is written to as by clients, and read as by them.
final class SpecialFixture {
  let writer: StoreFixture
  let path: String
  private(set) var catalog: Catalog
  private let reader: QuickReader

  init(_ writer: StoreFixture, _ path: String, _ schema: Schema) throws {
    self.writer = writer
    self.path = path
    catalog = Catalog(schema, generation: 1)
    reader = try QuickReader(path: path, budget: 10_000_000_000)
  }

  /// Runs `body` with a new store.
  static func run(
    _ schema: Schema,
    _ body: (SpecialFixture) async throws -> Void
  ) async throws {
    try await withStore(schema) { store, path in
      try await body(try SpecialFixture(store, path, schema))
    }
  }

  /// Adds to the schema.
  func define(_ schema: Schema) async throws {
    try await writer.write(.defineSchema(schema, isDryRun: false))
    catalog = Catalog(
      SchemaComparison(from: catalog.schema, to: schema).result,
      catalog.storage,
      generation: catalog.generation + 1
    )
  }

  /// Writes the JSON of an operation's arguments.
  @discardableResult
  func write(_ name: String, _ json: String) async throws -> JSONValue {
    try await writer.call(name, json)
  }

  /// Sends a read and returns its frames.
  func frames(_ operation: DepotProtocol.Operation) throws -> [JSONValue] {
    try ReaderFixture.lines(#require(try reader.answer(operation, catalog)))
  }

  func rows(_ request: FetchRequest) throws -> [[JSONValue]] {
    try frames(.fetch(request)).flatMap { $0["next"]?.array ?? [] }.map { $0.array ?? [] }
  }

  /// Returns the identifiers of the rows that satisfy a predicate in the format language.
  func find(
    _ entity: String,
    _ predicate: String,
    sort: [SortKey] = []
  ) throws -> [Int64] {
    let request = FetchRequest(
      entity: entity,
      predicate: try PredicateParser.parse(predicate),
      sort: sort
    )
    return try rows(request).compactMap { $0.first?.int64 }
  }

  /// Returns what `explain` says.
  func explain(_ entity: String, _ predicate: String) throws -> JSONValue {
    let request = FetchRequest(entity: entity, predicate: try PredicateParser.parse(predicate))
    return try #require(try frames(.explain(ExplainRequest(.fetch(request)))).first?["ok"])
  }
}
