import DepotProtocol
import DepotSQLite
import Synchronization
import TestSupport
import Testing

@testable import DepotEngine

/// The outcomes of a store's writes, by their tokens.
final class Answers: Sendable {
  private let frames = Mutex<[UInt64: String]>([:])
  private let tokens = Mutex<[UInt64]>([])

  /// The tokens in the order in which the writes were answered.
  var order: [UInt64] { tokens.withLock { $0 } }

  func add(_ outcome: WriteOutcome) {
    tokens.withLock { $0.append(outcome.token) }
    frames.withLock { $0[outcome.token] = String(decoding: outcome.frame, as: UTF8.self) }
  }

  /// Waits for the answer to a write.
  @discardableResult
  func wait(for token: UInt64) async throws -> String {
    let frame = try await poll { frames.withLock { $0[token] } }
    return try #require(frame, "no answer to \(token)")
  }
}

/// Runs `body` with a store that has the item "a"; its first answers are 1 and 2.
func withItems(
  closes: Bool = true,
  _ body: (Store, Answers, String) async throws -> Void
) async throws {
  try await withStorePath { path in
    let answers = Answers()
    let store = try Store(
      configuration: StoreConfiguration(path: path),
      onCommit: { $0.forEach(answers.add) },
      onFatal: { Issue.record("\($0)") }
    )
    store.submit([.test(1, .defineSchema(.items, isDryRun: false)), .test(2, .item("a"))])
    try await answers.wait(for: 2)
    try await body(store, answers, path)
    if closes { await store.close() }
  }
}

extension Store {
  /// Closes it from elsewhere, as its own thread ends then.
  nonisolated func close() async {
    await withCheckedContinuation { continuation in close { continuation.resume() } }
  }
}

extension WriteRequest {
  /// Returns a request whose token is also the number of its call.
  static func test(
    _ token: UInt64,
    _ operation: DepotProtocol.Operation,
    _ phase: Phase = .whole,
    of connection: Int64 = 0,
    isBarrier: Bool = false
  ) -> WriteRequest {
    WriteRequest(
      token: token,
      operation: operation,
      control: CallControl(),
      reply: ReplyWriter(id: Int64(token), framing: .lines),
      connection: connection,
      isBarrier: isBarrier,
      phase: phase
    )
  }
}

extension DepotProtocol.Operation {
  /// Returns the insertion of items.
  static func items(_ names: [String]) -> Self {
    .insert(
      InsertRequest(
        entity: "Item",
        columns: ["name"],
        rows: RowBatch(names.map { [Value.string($0)] })
      )
    )
  }

  static func item(_ name: String) -> Self { items([name]) }
}
