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
  private var counters: [String: IdentifierCounter] = [:]
  private var entityWriters: [String: EntityWriter] = [:]
  private var ceilings: [String: Int64]
  private var nextPruning: UInt64 = 0

  init(_ connection: Connection) throws {
    self.connection = connection
    tables = CatalogTables(connection: connection)
    outcomes = OutcomeTable(connection: connection)
    catalog = try tables.load()
    ceilings = try tables.ceilings()
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
    switch request.operation {
    case .insert(let insert):
      let result = try entityWriter(insert.entity).insert(insert, control: request.control)
      effect.rowsInserted += result.inserted
      effect.rowsUpdated += result.updated
      json.write(result, for: insert)
    case .update(let update):
      let count = try entityWriter(update.entity).update(update, control: request.control)
      effect.rowsUpdated += count
      json.raw("{\"updated\":")
      json.integer(count)
      json.raw("}")
    case .delete(let delete):
      let count = try entityWriter(delete.entity).delete(delete, control: request.control)
      effect.rowsDeleted += count
      json.raw("{\"deleted\":")
      json.integer(count)
      json.raw("}")
    case .defineSchema(let schema, let isDryRun):
      try define(schema, isDryRun: isDryRun, request.control, &effect, &json)
    default:
      throw DepotError(.bug, "\"\(request.operation.name)\" isn't a write.")
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
      if !isDryRun {
        try SchemaApplication(connection: connection, control: control)
          .apply(comparison.changes, from: catalog, to: next)
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

  private func entityWriter(_ name: String) throws -> EntityWriter {
    if let writer = entityWriters[name] { return writer }
    let layout: EntityLayout
    do {
      layout = try catalog.layout(of: name)
    } catch {
      throw error.at("/args/entity")
    }
    let counter =
      counters[name] ?? IdentifierCounter(entity: name, ceiling: ceilings[name] ?? 1)
    counters[name] = counter
    let writer = try EntityWriter(
      layout,
      in: catalog,
      connection: connection,
      counter: counter
    )
    entityWriters[name] = writer
    return writer
  }

  /// Makes what a transaction did known after its commit.
  func didCommit(_ effect: WriteEffect, ceilings: [(IdentifierCounter, Int64)]) {
    for (counter, ceiling) in ceilings { counter.didStore(ceiling) }
    statistics.add(effect)
    statistics.walBytes = connection.walPageCount * 4096
    if let next = effect.catalog {
      catalog = next
      entityWriters = [:]
      connection.forgetStatements()
    }
  }

  /// Writes what belongs into a transaction besides its requests.
  ///
  /// - Returns: What the store will know about identifiers once it is committed.
  func finishTransaction() throws -> [(IdentifierCounter, Int64)] {
    var stored: [(IdentifierCounter, Int64)] = []
    for counter in counters.values {
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
      for counter in counters.values where counter.next != counter.ceiling {
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

extension JSONWriter {
  /// Writes the result of an insert.
  fileprivate mutating func write(_ result: InsertResult, for request: InsertRequest) {
    raw("{\"inserted\":")
    integer(result.inserted)
    raw(",\"updated\":")
    integer(result.updated)
    raw(",\"skipped\":")
    integer(result.skipped)
    raw(",\"ids\":[")
    for (index, identifier) in result.identifiers.enumerated() {
      if index > 0 { raw(",") }
      if let identifier { integer(identifier) } else { raw("null") }
    }
    raw("]")
    if request.reportsRejects {
      raw(",\"rejected\":[")
      for (index, rejected) in result.rejected.enumerated() {
        if index > 0 { raw(",") }
        raw("{\"row\":")
        integer(rejected.row)
        raw(",\"error\":")
        write(rejected.error)
        raw("}")
      }
      raw("]")
    }
    raw("}")
  }
}

extension [UInt8] {
  /// Returns a result with its identifiers as strings if the connection wants integers so.
  ///
  /// Results are kept with numbers, because a repeated request may come from another connection.
  fileprivate func writingIdentifiers(as form: Hello.Int64Form) -> [UInt8] {
    let name = Array("\"ids\":[".utf8)
    guard form == .string, let start = firstRange(of: name)?.upperBound,
      let end = self[start...].firstIndex(of: UInt8(ascii: "]")), start < end
    else { return self }
    let quotes = Array("\"".utf8)
    let list = self[start..<end].split(separator: UInt8(ascii: ","))
      .map { $0.first == UInt8(ascii: "n") ? Array($0) : quotes + $0 + quotes }
    return Array(self[..<start]) + list.joined(separator: ",".utf8) + Array(self[end...])
  }
}
