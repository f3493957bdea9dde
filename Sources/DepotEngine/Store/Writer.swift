internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// The only connection that writes, and what it knows about the tables.
///
/// It is the store actor's, and has no idea of threads and waiting.
final class Writer {
  let connection: Connection
  let tables: CatalogTables
  let outcomes: OutcomeTable
  /// The schema as it was committed.
  private(set) var catalog: Catalog
  var statistics = StoreStatistics()
  private var entities: EntityWriters
  private let ceilings: [String: Int64]
  private var nextPruning: UInt64 = 0

  init(_ connection: Connection) throws {
    self.connection = connection
    tables = CatalogTables(connection: connection)
    outcomes = OutcomeTable(connection: connection)
    catalog = try tables.load()
    SpecialTables(connection: connection).enable(catalog)
    ceilings = try tables.ceilings()
    entities = EntityWriters(catalog, on: connection, ceilings: ceilings)
  }

  /// Does what a request asks for, inside a transaction.
  ///
  /// - Returns: The JSON of the result.
  func perform(_ request: WriteRequest, _ effect: inout WriteEffect) throws -> [UInt8] {
    try request.control.check()
    let form = request.reply.int64
    guard let key = request.key else {
      return try apply(request, &effect).writingIdentifiers(as: form)
    }
    let hash = OutcomeTable.hash(request.operation)
    if let result = try outcomes.result(of: key, hash: hash) {
      effect.repeatedWrites += 1
      return result.writingIdentifiers(as: form)
    }
    let result = try apply(request, &effect)
    try outcomes.store(result, key: key, hash: hash, at: WallClock.now())
    return result.writingIdentifiers(as: form)
  }

  private func apply(_ request: WriteRequest, _ effect: inout WriteEffect) throws -> [UInt8] {
    var json = JSONWriter()
    if case .defineSchema(let schema, let isDryRun) = request.operation {
      try define(schema, isDryRun: isDryRun, request.control, &effect, &json)
    } else {
      let session = ChangeSession(entities, request.control)
      try session.apply(request.operation, &effect, &json)
    }
    try request.control.check()
    return json.bytes
  }

  private func define(
    _ schema: Schema,
    isDryRun: Bool,
    _ control: CallControl,
    _ effect: inout WriteEffect,
    _ json: inout JSONWriter
  ) throws {
    try schema.validate()
    let comparison = SchemaComparison(from: catalog.schema, to: schema)
    guard comparison.differences.isEmpty else {
      throw DepotError.mismatch(comparison.differences)
    }
    try comparison.result.validate()
    var next = catalog
    if !comparison.changes.isEmpty {
      next = Catalog(comparison.result, catalog.storage, generation: catalog.generation + 1)
      let derived = try DerivedAttributes(next, on: connection)
      if !isDryRun {
        try SchemaApplication(connection: connection, control: control)
          .apply(comparison.changes, from: catalog, to: next)
        try recompute(derived, comparison.changes, next)
        try tables.store(next)
        effect.catalog = next
      }
    }
    json.raw("{\"changed\":")
    json.bool(!comparison.changes.isEmpty)
    json.raw(",\"changes\":")
    json.names(comparison.changes.map(\.description))
    json.raw(",\"schema\":")
    json.string(next.fingerprint)
    json.raw("}")
  }

  /// Computes new derived attributes for the rows that exist, whose versions stay.
  private func recompute(
    _ derived: DerivedAttributes,
    _ changes: [SchemaChange],
    _ next: Catalog
  ) throws {
    let keys = changes.compactMap { change -> String? in
      guard case .addedAttribute(let field, let entity, _) = change,
        field.attribute.derivation != nil
      else { return nil }
      return "\(entity).\(field.path)"
    }
    guard !keys.isEmpty else { return }
    connection.forgetStatements()
    try derived.markAll(Set(keys))
    let entities = EntityWriters(next, on: connection, ceilings: [:])
    try derived.refresh(entities, step: { _, _ in 0 }) { throw $0 }
  }

  /// Makes what a transaction did known after its commit.
  func didCommit(_ effect: WriteEffect, _ stored: [(IdentifierCounter, Int64)]) {
    for (counter, ceiling) in stored { counter.didStore(ceiling) }
    statistics.add(effect)
    statistics.walBytes = connection.walPageCount * 4096
    if let next = effect.catalog {
      catalog = next
      entities = EntityWriters(
        next,
        on: connection,
        counters: entities.counters,
        ceilings: ceilings
      )
      connection.forgetStatements()
    }
  }

  /// Writes what belongs into a transaction besides its requests.
  ///
  /// - Returns: What the store will know about identifiers once it is committed.
  func finishTransaction() throws -> [(IdentifierCounter, Int64)] {
    var stored: [(IdentifierCounter, Int64)] = []
    for counter in entities.counters.values {
      guard let ceiling = counter.wantedCeiling else { continue }
      try tables.setCeiling(ceiling, of: counter.entity)
      stored.append((counter, ceiling))
    }
    let now = Monotonic.now()
    if now >= nextPruning {
      let hasMore = try outcomes.prune(before: WallClock.now() - OutcomeTable.lifetime)
      nextPruning = hasMore ? 0 : now + 60_000_000_000
    }
    return stored
  }

  /// Stores exactly where identifiers go on, and empties the log.
  ///
  /// - Throws: ``SQLiteError``, after which the next start does what is left.
  func close() throws {
    try connection.transaction {
      for counter in entities.counters.values where counter.next != counter.ceiling {
        try tables.setCeiling(counter.next, of: counter.entity)
      }
    }
    _ = try connection.checkpoint(.truncate)
  }
}

@available(*, unavailable)
extension Writer: Sendable {}

/// What requests did inside a transaction.
struct WriteEffect {
  var writes = 0
  var failedWrites = 0
  var repeatedWrites = 0
  var rowsInserted = 0
  var rowsUpdated = 0
  var rowsDeleted = 0
  /// The schema, if it changed.
  var catalog: Catalog?
}

extension StoreStatistics {
  fileprivate mutating func add(_ effect: WriteEffect) {
    writes += effect.writes
    repeatedWrites += effect.repeatedWrites
    rowsInserted += effect.rowsInserted
    rowsUpdated += effect.rowsUpdated
    rowsDeleted += effect.rowsDeleted
  }
}
