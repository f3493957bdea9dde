import DepotEngine
import DepotProtocol
import DepotSQLite
import Foundation
import Synchronization

/// A store whose writes can be waited for.
final class StoreFixture: Sendable {
  let store: Store
  /// What the store made known of its transactions.
  let changes = ChangeLog()
  private let waiting: Waiting
  private let isClosed = Atomic(false)
  private let nextToken = Mutex<UInt64>(1)

  init(
    _ configuration: StoreConfiguration,
    onChanges: @escaping @Sendable ([CommittedChanges]) -> Void = { _ in }
  ) throws {
    let waiting = Waiting()
    self.waiting = waiting
    let changes = changes
    store = try Store(
      configuration: configuration,
      onCommit: { outcomes in
        for outcome in outcomes { waiting.resume(outcome) }
      },
      onChanges: { new in
        changes.add(new)
        onChanges(new)
      },
      onFatal: { waiting.fail($0) }
    )
  }

  /// Sends writes at once and returns what became of each.
  func write(
    _ operations: [DepotProtocol.Operation],
    key: String? = nil,
    control: CallControl = CallControl(),
    int64: Int64Form = .number,
    author: String? = nil,
    group: String? = nil,
    connection: Int64 = 7,
    phase: WriteRequest.Phase = .whole
  ) async -> [Result<JSONValue, DepotError>] {
    let requests = operations.map { operation in
      let token = nextToken.withLock { token in
        defer { token += 1 }
        return token
      }
      return WriteRequest(
        token: token,
        operation: operation,
        key: key,
        control: control,
        reply: ReplyWriter(id: Int64(token), framing: .lines, int64: int64),
        connection: connection,
        phase: phase,
        author: author,
        process: "test/1",
        group: group
      )
    }
    // All are waited for before the first is sent.
    let outcomes = await withTaskGroup(of: (UInt64, [UInt8]).self) { group in
      let arrival = waiting.expect(requests.map(\.token))
      store.submit(requests)
      for (token, stream) in arrival {
        group.addTask {
          for await frame in stream { return (token, frame) }
          return (token, [])
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    return requests.map { Self.result(outcomes[$0.token] ?? []) }
  }

  /// Sends one write and returns its result.
  @discardableResult
  func write(
    _ operation: DepotProtocol.Operation,
    key: String? = nil,
    control: CallControl = CallControl()
  ) async throws -> JSONValue {
    let results = await write([operation], key: key, control: control)
    return try results[0].get()
  }

  /// Inserts rows into the entity "Item" and returns their identifiers.
  @discardableResult
  func insert(
    _ rows: [[Value]],
    columns: [String] = ["name", "size"],
    onConflict: InsertRequest.OnConflict = .error,
    key: String? = nil
  ) async throws -> [Int64?] {
    let request = InsertRequest(
      entity: "Item",
      columns: columns,
      rows: RowBatch(rows),
      onConflict: onConflict
    )
    let result = try await write(.insert(request), key: key)
    return result["ids"]?.array?.map(\.int64) ?? []
  }

  /// Closes the store, unless it was closed before.
  func close() async {
    let wasClosed = isClosed.exchange(true, ordering: .relaxed)
    if wasClosed { return }
    await withCheckedContinuation { continuation in
      store.close { continuation.resume() }
    }
  }

  private static func result(_ frame: [UInt8]) -> Result<JSONValue, DepotError> {
    guard let document = try? JSONDocument(frame), let value = try? JSONValue(document.root) else {
      return .failure(DepotError(.io, "no answer"))
    }
    if let result = value["ok"] { return .success(result) }
    let member = try? document.root.members().first { $0.name.isString("err") }
    guard let node = member?.value, let error = try? DepotError(node) else {
      return .failure(DepotError(.bug, "no outcome"))
    }
    return .failure(error)
  }
}

/// The transactions that a store made known.
final class ChangeLog: Sendable {
  private let list = Mutex<[CommittedChanges]>([])

  func add(_ changes: [CommittedChanges]) { list.withLock { $0 += changes } }

  /// Takes out what was made known so far.
  func takeAll() -> [CommittedChanges] {
    list.withLock { list in
      defer { list = [] }
      return list
    }
  }
}

/// The outcomes that somebody waits for.
private final class Waiting: Sendable {
  private let continuations = Mutex<[UInt64: AsyncStream<[UInt8]>.Continuation]>([:])

  func expect(_ tokens: [UInt64]) -> [(UInt64, AsyncStream<[UInt8]>)] {
    tokens.map { token in
      let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
      continuations.withLock { $0[token] = continuation }
      return (token, stream)
    }
  }

  func resume(_ outcome: WriteOutcome) {
    let continuation = continuations.withLock { $0.removeValue(forKey: outcome.token) }
    continuation?.yield(outcome.frame)
    continuation?.finish()
  }

  func fail(_ error: DepotError) {
    for continuation in continuations.withLock({ Array($0.values) }) { continuation.finish() }
  }
}

/// Runs `body` with the path of a store in a fresh folder, which is removed afterwards.
func withStorePath(_ body: (_ path: String) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "depot-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(folder.appending(path: "store.depot").path)
}

/// Runs `body` with a new store of schema `schema`, which is closed and removed afterwards.
func withStore(
  _ schema: Schema = .items,
  undo: UndoLimits = UndoLimits(),
  _ body: (_ store: StoreFixture, _ path: String) async throws -> Void
) async throws {
  try await withStorePath { path in
    var configuration = StoreConfiguration(path: path)
    configuration.undo = undo
    let store = try StoreFixture(configuration)
    try await store.write(.defineSchema(schema, isDryRun: false))
    try await body(store, path)
    await store.close()
  }
}

/// Returns all rows that a query of the store's file gives.
func rows(_ sql: String, in path: String) throws -> [[SQLiteValue]] {
  let connection = try Connection(path: path, access: .reader)
  var result: [[SQLiteValue]] = []
  try connection.statement(sql).run { row in
    result.append((0..<row.columnCount).map { row[$0] })
  }
  return result
}

extension DepotProtocol.Operation {
  /// Reads an operation from the JSON of its arguments.
  init(_ name: String, _ json: String) throws {
    let call = try JSONDocument(Array("[\"\(name)\",\(json)]".utf8)).root.elements()
    try self.init(call[0], arguments: call[1])
  }
}

extension Schema {
  /// An entity "Item" with a unique name and an optional size.
  static let items = Schema(entities: [
    Entity(
      name: "Item",
      attributes: [
        Attribute(name: "name", type: .string, isUnique: true),
        Attribute(name: "size", type: .int64, isOptional: true),
      ]
    )
  ])
}
