import DepotProtocol
import DepotSQLite
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DepotEngine

/// Writes that keep their transaction open until somebody decides about them.
@Suite struct PreparedWriteTests {
  private static let next: Schema = {
    var schema = Schema.items
    schema.version = SchemaVersion(2, 0, 0)
    schema.entities[0].attributes.removeLast()
    return schema
  }()

  /// The outcomes of a store, by tokens.
  private final class Answers: Sendable {
    let frames = Mutex<[UInt64: String]>([:])
    let order = Mutex<[UInt64]>([])

    func wait(for token: UInt64) async throws -> String {
      let frame = try await poll { frames.withLock { $0[token] } }
      return try #require(frame, "no answer to \(token)")
    }
  }

  private func withItems(
    closes: Bool = true,
    _ body: (Store, Answers, String) async throws -> Void
  ) async throws {
    try await withStorePath { path in
      let answers = Answers()
      let store = try Store(
        configuration: StoreConfiguration(path: path),
        onCommit: { outcomes in
          for outcome in outcomes {
            answers.order.withLock { $0.append(outcome.token) }
            answers.frames.withLock {
              $0[outcome.token] = String(decoding: outcome.frame, as: UTF8.self)
            }
          }
        },
        onFatal: { Issue.record("\($0)") }
      )
      store.submit([
        request(1, .defineSchema(.items, isDryRun: false)), request(2, Self.insert("a")),
      ])
      _ = try await answers.wait(for: 2)
      try await body(store, answers, path)
      if closes { await close(store) }
    }
  }

  private func close(_ store: Store) async {
    await withCheckedContinuation { continuation in store.close { continuation.resume() } }
  }

  private func request(
    _ token: UInt64,
    _ operation: DepotProtocol.Operation,
    _ phase: WriteRequest.Phase = .whole
  ) -> WriteRequest {
    WriteRequest(
      token: token,
      operation: operation,
      reply: ReplyWriter(id: Int64(token), framing: .lines),
      phase: phase
    )
  }

  private static func insert(_ name: String) -> DepotProtocol.Operation {
    .insert(
      InsertRequest(entity: "Item", columns: ["name"], rows: RowBatch([[.string(name)]]))
    )
  }

  private static let define = DepotProtocol.Operation.defineSchema(
    next,
    isDryRun: false,
    MigrationOptions()
  )

  @Test(arguments: [true, false])
  func `all other writes wait for the decision`(isCommitted: Bool) async throws {
    try await withItems { store, answers, path in
      store.submit([request(3, Self.define, .prepare), request(4, Self.insert("b"))])
      #expect(try await answers.wait(for: 3).contains("removed attribute Item.size"))
      store.submit([request(5, Self.insert("a"))])
      #expect(store.catalog.schema == .items)
      #expect(try rows("SELECT count(*) FROM e_Item", in: path) == [[.integer(1)]])
      store.submit([request(6, Self.define, isCommitted ? .commit : .undo)])
      _ = try await answers.wait(for: 5)
      #expect(answers.order.withLock { $0 } == [1, 2, 3, 6, 4, 5])
      #expect(try await answers.wait(for: 4).contains("\"ok\""))
      #expect(try await answers.wait(for: 5).contains("\"err\""))
      #expect(store.catalog.schema == (isCommitted ? Self.next : .items))
      let folder = URL(filePath: path).deletingLastPathComponent().path
      let backups = try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.contains(".backup-") }
      #expect(backups == (isCommitted ? ["store.depot.backup-0-1"] : []))
    }
  }

  @Test func `what can't be prepared holds nobody up`() async throws {
    try await withItems { store, answers, _ in
      var schema = Self.next
      schema.entities[0].attributes[0].type = .bool
      let define = DepotProtocol.Operation.defineSchema(
        schema,
        isDryRun: false,
        MigrationOptions()
      )
      store.submit([request(3, define, .prepare), request(4, Self.insert("b"))])
      let refusal = try await answers.wait(for: 3)
      #expect(refusal.contains("schema.mismatch"))
      let other = try await answers.wait(for: 4)
      #expect(other.contains("\"ok\""))
      store.submit([request(5, define, .commit)])
      let late = try await answers.wait(for: 5)
      #expect(late.contains("request.usage"))
    }
  }

  @Test func `what is done in chunks makes none meanwhile`() async throws {
    try await withItems { store, answers, path in
      let delete = DepotProtocol.Operation.delete(
        DeleteRequest(entity: "Item", rows: .predicate(.value(.bool(true))), chunk: 1)
      )
      store.submit([
        request(3, Self.insert("b")), request(4, delete), request(5, Self.define, .prepare),
      ])
      _ = try await answers.wait(for: 5)
      #expect(try rows("SELECT count(*) FROM e_Item", in: path) == [[.integer(2)]])
      store.submit([request(6, Self.define, .undo)])
      _ = try await answers.wait(for: 4)
      #expect(answers.order.withLock { $0 } == [1, 2, 3, 5, 6, 4])
    }
  }

  @Test func `a store that is closed undoes it, and answers those who waited`() async throws {
    try await withItems(closes: false) { store, answers, path in
      store.submit([request(3, Self.define, .prepare), request(4, Self.insert("b"))])
      _ = try await answers.wait(for: 3)
      await close(store)
      #expect(try await answers.wait(for: 4).contains("\"ok\""))
      let again = try StoreFixture(StoreConfiguration(path: path))
      #expect(again.store.catalog.schema == .items)
      #expect(try rows("SELECT count(*) FROM e_Item", in: path) == [[.integer(2)]])
      await again.close()
    }
  }
}
