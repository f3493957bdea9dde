import DepotProtocol
import DepotSQLite
import TestSupport
import Testing

@testable import DepotEngine

/// The order of the writes of several connections, and what becomes of those that wait.
@Suite struct WriteQueueTests {
  private static let schema = DepotProtocol.Operation.defineSchema(
    Schema.items,
    isDryRun: false
  )

  @Test func `nobody waits for all that another connection has sent`() async throws {
    try await withItems { store, answers, _ in
      let many = (0..<20).map { index in
        WriteRequest.test(
          UInt64(10 + index),
          .items((0..<500).map { "\(index) \($0)" }),
          of: 1
        )
      }
      store.submit(many + [.test(3, .item("b"), of: 2), .test(4, .item("c"), of: 3)])
      try await answers.wait(for: 29)
      #expect(answers.order.filter { $0 >= 10 } == Array(10..<30))
      #expect(answers.order.prefix(5) == [1, 2, 10, 3, 4])
    }
  }

  @Test func `a survey tells the writes that run together, and those that wait`() throws {
    let queue = WriteQueue()
    let barrier = WriteRequest.test(4, Self.schema, of: 3, isBarrier: true)
    let writes = [WriteRequest.test(1, .item("a"), of: 1), .test(2, .item("b"), of: 2)]
    #expect(queue.survey(most: 9).isEmpty)
    #expect(queue.add(writes + [.test(3, .item("c"), of: 1), barrier]))
    #expect(queue.survey(most: 9).waiting.map(\.token) == [1, 3, 2, 4])
    #expect(queue.survey(most: 2).waiting.map(\.token) == [1, 3])
    let first = try #require(queue.take(isPrepared: false))
    let catalog = Catalog(Schema(), generation: 0)
    var batch = Batch(first.request, waiting: 3, isInCluster: false, catalog)
    #expect(queue.take(into: &batch)?.token == 2)
    let survey = queue.survey(most: 9)
    #expect(survey.running.map(\.token) == [1, 2])
    #expect(survey.since > 0)
    #expect(survey.waiting.map(\.token) == [3, 4])
    #expect(survey.waitingCount == 2)
    #expect(survey.running[0].operation.name == "insert")
    // A prepared write runs until the decision about it.
    #expect(queue.take(isPrepared: true) == nil)
    #expect(queue.survey(most: 9).running.map(\.token) == [1, 2])
    for token in [3, 4] as [UInt64] {
      #expect(queue.take(isPrepared: false)?.request.token == token)
      #expect(queue.survey(most: 9).running.map(\.token) == [token])
    }
    #expect(queue.take(isPrepared: false) == nil)
    #expect(queue.survey(most: 9).isEmpty)
  }

  @Test func `a transaction takes others in for a moment only`() async throws {
    try await withItems { store, answers, _ in
      let before = store.statistics.commits
      store.submit(
        (0..<10).map { index in
          .test(UInt64(10 + index), .items((0..<10_000).map { "\(index) \($0)" }))
        }
      )
      try await answers.wait(for: 19)
      #expect(store.statistics.commits > before + 1)
      #expect(try await answers.wait(for: 10).contains("\"ok\""))
    }
  }

  @Test func `a migration comes after all that was sent before, and before all that comes later`()
    async throws
  {
    try await withItems { store, answers, _ in
      let before = (0..<5).map { WriteRequest.test(UInt64(10 + $0), .item("\($0)"), of: 1) }
      let barrier = WriteRequest.test(20, Self.schema, of: 2, isBarrier: true)
      let after = [WriteRequest.test(21, .item("x"), of: 3), .test(22, .item("y"), of: 1)]
      store.submit(before + [barrier] + after)
      try await answers.wait(for: 22)
      try await answers.wait(for: 21)
      #expect(answers.order.prefix(8) == [1, 2, 10, 11, 12, 13, 14, 20])
    }
  }

  @Test func `a write that waits can be taken back, one that was done can't`() async throws {
    try await withItems { store, answers, path in
      store.submit([.test(3, Self.schema, .prepare)])
      try await answers.wait(for: 3)
      store.submit([
        .test(4, .item("b")), .test(5, .item("c")), .test(6, Self.schema, isBarrier: true),
        .test(7, .item("d")),
      ])
      let error = DepotError(.cancelled, "The client cancelled the call.")
      for token: UInt64 in [4, 7] {
        let outcome = try #require(store.withdraw([token: error]).first)
        #expect(outcome.token == token && !outcome.isSuccess)
        #expect(String(decoding: outcome.frame, as: UTF8.self).contains("cancelled.by_client"))
        #expect(store.withdraw([token: error]).isEmpty)
      }
      store.submit([.test(8, Self.schema, .undo)])
      try await answers.wait(for: 6)
      #expect(answers.order == [1, 2, 3, 8, 5, 6])
      #expect(store.withdraw([5: error]).isEmpty)
      let names = try rows("SELECT a_name FROM e_Item ORDER BY id", in: path)
      #expect(names == [[.text("a")], [.text("c")]])
    }
  }

  @Test func `what is done in chunks ends when a store is copied for a migration`() async throws {
    try await withItems { store, answers, path in
      store.submit([.test(3, .items((0..<50).map(String.init)))])
      let delete = DepotProtocol.Operation.delete(
        DeleteRequest(entity: "Item", rows: .predicate(.value(.bool(true))), chunk: 1)
      )
      var next = Schema.items
      next.version = SchemaVersion(2, 0, 0)
      let migration = DepotProtocol.Operation.beginMigration(MigrationRequest(next))
      store.submit([.test(4, delete), .test(5, migration, isBarrier: true)])
      let end = try await answers.wait(for: 4)
      let copied = try await answers.wait(for: 5)
      #expect(copied.contains("\"ok\""), "\(copied)")
      #expect(end.contains("unavailable.migrating"))
      #expect(end.contains("Chunks with 1 rows are done"))
      #expect(try rows("SELECT count(*) FROM e_Item", in: path) == [[.integer(50)]])
    }
  }
}
