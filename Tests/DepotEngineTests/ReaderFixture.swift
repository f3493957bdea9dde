import DepotProtocol
import DepotSQLite
import Foundation
import Synchronization
import Testing

@testable import DepotEngine

/// A store's file made with plain SQL, in a temporary folder of its own.
final class ReaderFixture {
  let path: String
  let catalog: Catalog
  let writer: Connection
  private let folder: URL

  init(_ schema: Schema, generation: Int = 1) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appending(path: "store.sqlite").path
    catalog = Catalog(schema, generation: generation)
    writer = try Connection(path: path, access: .writer)
    try writer.execute(
      """
      PRAGMA journal_mode = WAL; CREATE TABLE depot_meta (key TEXT PRIMARY KEY, value ANY) STRICT
      """
    )
    try CatalogTables(connection: writer).store(catalog)
    for layout in catalog.allLayouts where layout.isRoot {
      try writer.execute(layout.tableDefinition)
    }
    for addition in catalog.allLayouts.flatMap(\.additions) { try writer.execute(addition.sql) }
    try TextFunctions.register(on: writer)
    try SpecialTables(connection: writer).adapt(from: nil, to: catalog)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Stores rows with the identifiers 1, 2, and so on, and the version 1.
  func insert(_ rows: [[Value]], into entity: String) throws {
    let layout = try catalog.layout(of: entity)
    let marks = Array(repeating: "?", count: layout.fields.count + 2).joined(separator: ", ")
    let statement = try writer.statement("INSERT INTO \(layout.table) VALUES (\(marks))")
    try writer.execute("BEGIN")
    for (index, row) in rows.enumerated() {
      try statement.run([.integer(Int64(index + 1)), .integer(1)] + row.map(StoredValue.encode))
    }
    try writer.execute("COMMIT")
  }

  /// Stores a row with some values, named by their paths or by the names of stored columns.
  func insert(
    _ entity: String,
    _ identifier: Int64,
    _ values: [String: Value] = [:]
  ) throws {
    let layout = try catalog.layout(of: entity)
    let root = try catalog.layout(of: layout.root)
    var stored: [SQLiteValue] = Array(repeating: .null, count: root.stored.count)
    func set(_ name: String, _ value: SQLiteValue) throws {
      let place = try #require(root.stored.firstIndex { $0.name == name })
      stored[place] = value
    }
    for (name, value) in values {
      let place = layout.position(of: name).flatMap { layout.storedPositions[$0] }
      try set(place.map { layout.stored[$0].name } ?? name, StoredValue.encode(value))
    }
    if layout.isInHierarchy { try set("kind", .integer(Int64(layout.number))) }
    let marks = Array(repeating: "?", count: stored.count + 2).joined(separator: ", ")
    try writer.statement(
      "INSERT INTO \(root.table) (\(root.fullRow)) VALUES (\(marks))"
    ).run([.integer(identifier), .integer(1)] + stored)
  }

  /// A connection with the functions of predicates.
  func reader() throws -> Connection {
    let connection = try Connection(path: path, access: .reader)
    try TextFunctions.register(on: connection)
    return connection
  }

  /// Returns the identifiers of the rows that satisfy a predicate.
  func matches(
    _ predicate: QueryExpression,
    in entity: String,
    on connection: Connection
  ) throws -> [Int64] {
    let layout = try catalog.layout(of: entity)
    let compiled = try PredicateSQL.compile(predicate, for: layout, in: catalog)
    let statement = try connection.statement(
      "SELECT t0.id FROM \(compiled.source) WHERE \(compiled.sql) ORDER BY t0.id"
    )
    var identifiers: [Int64] = []
    try statement.run(compiled.parameters) { identifiers.append($0.integer(0)) }
    return identifiers
  }

  /// Returns the lines of a quick read's answer, or `nil` if it is long.
  func quick(
    _ operation: DepotProtocol.Operation,
    _ reader: QuickReader
  ) throws -> [JSONValue]? {
    try reader.answer(operation, catalog).map(Self.lines)
  }

  /// Reads frames of one line each.
  static func lines(_ bytes: [UInt8]) throws -> [JSONValue] {
    try bytes.split(separator: 0x0A).map { try JSONValue(parsing: $0) }
  }
}

extension QuickReader {
  /// Returns the answer to a read, or `nil` if it is long.
  func answer(
    _ operation: DepotProtocol.Operation,
    _ catalog: Catalog,
    int64: Int64Form = .number
  ) throws -> [UInt8]? {
    var writer = JSONWriter()
    let isDone = try perform(
      operation,
      catalog: catalog,
      control: CallControl(),
      reply: ReplyWriter(id: 1, framing: .lines, int64: int64),
      into: &writer
    )
    return isDone ? writer.bytes : nil
  }
}

extension ReaderPool {
  func close() async {
    await withCheckedContinuation { continuation in close { continuation.resume() } }
  }
}

/// What a long read delivered.
final class Delivered: Sendable {
  private struct State {
    var frames: [JSONValue] = []
    var nextFrameCount = 0
    var largest = 0
    var isEnded = false
    var deliveries = 0
  }

  private let state = Mutex(State())
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  var delivery: LongRead.Delivery {
    { bytes, count, isLast in
      let frames = (try? ReaderFixture.lines(bytes)) ?? []
      self.state.withLock { state in
        state.frames += frames
        state.nextFrameCount += count
        state.largest = max(state.largest, bytes.count)
        state.deliveries += 1
        precondition(!state.isEnded, "There is one terminal frame.")
        state.isEnded = isLast
      }
      self.continuation.yield()
      if isLast { self.continuation.finish() }
    }
  }

  /// Returns what a read delivers that has the readers to itself.
  static func reading(
    _ operation: DepotProtocol.Operation,
    _ catalog: Catalog,
    path: String
  ) async throws -> Delivered {
    let pool = ReaderPool(path: path)
    let delivered = Delivered()
    pool.start(delivered.read(operation, catalog))
    await delivered.waitForEnd()
    await pool.close()
    return delivered
  }

  /// A read that delivers here.
  func read(
    _ operation: DepotProtocol.Operation,
    _ catalog: Catalog,
    allowance: Int? = nil,
    control: CallControl = CallControl(),
    client: Int64 = 0
  ) -> LongRead {
    LongRead(
      operation: operation,
      catalog: catalog,
      control: control,
      reply: ReplyWriter(id: 1, framing: .lines),
      client: client,
      allowance: allowance,
      deliver: delivery
    )
  }

  /// Waits for the terminal frame.
  func waitForEnd() async { for await _ in stream {} }

  /// Waits for the next delivery.
  func waitForDelivery() async {
    for await _ in stream { return }
  }

  var frames: [JSONValue] { state.withLock { $0.frames } }
  var nextFrameCount: Int { state.withLock { $0.nextFrameCount } }
  var largest: Int { state.withLock { $0.largest } }
  var isEnded: Bool { state.withLock { $0.isEnded } }
  var rows: [JSONValue] { frames.flatMap { $0["next"]?.array ?? [] } }
  var errorCode: String? { frames.last?["err"]?["code"]?.string }
}
