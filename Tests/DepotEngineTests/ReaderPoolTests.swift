import DepotEngine
import DepotLinux
import DepotProtocol
import DepotSQLite
import Foundation
import Synchronization
import Testing

@Suite struct ReaderPoolTests {
  private let fixture: ReaderFixture

  init() throws {
    let schema = Schema(entities: [
      Entity(
        name: "Package",
        attributes: [
          Attribute(name: "name", type: .string), Attribute(name: "size", type: .int64),
        ]
      )
    ])
    fixture = try ReaderFixture(schema)
    try fixture.insert(
      (1...20_000).map { [.string("package number \($0)"), .int64($0 * 7919 % 20_011)] },
      into: "Package"
    )
  }

  @Test func `a stream brings every row once, in order, in frames of bounded size`() async throws {
    let delivered = Delivered()
    try await withPool { pool in
      let request = FetchRequest(entity: "Package", sort: [SortKey("size")])
      pool.start(read(.fetch(request), delivered))
      await delivered.waitForEnd()
    }
    let sizes = delivered.rows.compactMap { $0.array?.last?.int64 }
    #expect(sizes.count == 20_000)
    #expect(sizes == sizes.sorted())
    #expect(delivered.frames.last?["ok"]?["rows"]?.int64 == 20_000)
    #expect(delivered.frames.count { $0["columns"] != nil } == 1)
    #expect(delivered.nextFrameCount == delivered.frames.count - 1)
    #expect(delivered.largest < 70_000)
  }

  @Test func `a long read answers as a quick one does`() async throws {
    let operations: [DepotProtocol.Operation] = [
      .get(GetRequest(entity: "Package", identifiers: [3, 1])),
      .count(CountRequest(entity: "Package")),
      .exists(CountRequest(entity: "Package")),
      .explain(ExplainRequest(FetchRequest(entity: "Package"))),
      .aggregate(
        AggregateRequest(
          entity: "Package",
          values: [AggregateRequest.Value(name: "sum", .sum, of: .attribute("size"))]
        )
      ),
      .fetch(FetchRequest(entity: "Package", limit: 5, select: ["size"])),
    ]
    let reader = try QuickReader(path: fixture.path, budget: 10_000_000_000)
    try await withPool { pool in
      for operation in operations {
        let delivered = Delivered()
        pool.start(read(operation, delivered))
        await delivered.waitForEnd()
        let quick = try fixture.quick(operation, reader)
        #expect(quick == delivered.frames)
      }
    }
  }

  @Test func `a stream stops at its allowance and goes on when more is granted`() async throws {
    let delivered = Delivered()
    try await withPool { pool in
      let request = FetchRequest(entity: "Package", batch: 100)
      let stream = read(.fetch(request), delivered, allowance: 0)
      pool.start(stream)
      await untilParked(pool)
      #expect(delivered.frames.isEmpty)
      for frame in 1...3 {
        stream.grant(1)
        await delivered.waitForDelivery()
        await untilParked(pool)
        #expect(delivered.nextFrameCount == frame)
        #expect(delivered.rows.count == frame * 100)
      }
      stream.grant(.max)
      await delivered.waitForEnd()
    }
    #expect(delivered.rows.compactMap { $0.array?.first?.int64 } == Array(1...20_000))
  }

  @Test func `a parked stream keeps its snapshot and blocks nobody`() async throws {
    let parked = Delivered()
    try await withPool(threads: 1) { pool in
      let request = FetchRequest(entity: "Package", sort: [SortKey("$id")], batch: 1)
      let stream = read(.fetch(request), parked, allowance: 1)
      pool.start(stream)
      await untilParked(pool)
      try fixture.writer.execute("DELETE FROM e_Package WHERE id > 10")
      let count = Delivered()
      pool.start(read(.count(CountRequest(entity: "Package")), count))
      await count.waitForEnd()
      #expect(count.frames.last?["ok"]?["count"]?.int64 == 10)
      stream.grant(.max)
      await parked.waitForEnd()
    }
    #expect(parked.rows.count == 20_000)
  }

  @Test func `a parked stream notices its cancellation`() async throws {
    let delivered = Delivered()
    try await withPool { pool in
      let stream = read(.fetch(FetchRequest(entity: "Package")), delivered, allowance: 1)
      pool.start(stream)
      await untilParked(pool)
      stream.control.cancel()
      stream.wake()
      await delivered.waitForEnd()
      #expect(pool.statistics.active == 0)
    }
    #expect(delivered.errorCode == "cancelled.by_client")
  }

  @Test(arguments: [true, false])
  func `a running scan ends when it is cancelled or its deadline passes`(
    isCancel: Bool
  ) async throws {
    let pattern = QueryExpression.value(.string("(a|b|c|d|x)*y"))
    let scan = QueryExpression.text(.like, .attribute("name"), .value(.string("*a*b*z*")))
    let slow = QueryExpression.and(
      Array(repeating: .not(.or([scan, .text(.matches, .attribute("name"), pattern)])), count: 50)
    )
    let delivered = Delivered()
    try await withPool { pool in
      let deadline = isCancel ? .max : Monotonic.now() + 5_000_000
      let control = CallControl(deadline: deadline)
      let count = Operation.count(CountRequest(entity: "Package", predicate: slow))
      pool.start(read(count, delivered, control: control))
      if isCancel { control.cancel() }
      await delivered.waitForEnd()
    }
    #expect(delivered.errorCode == (isCancel ? "cancelled.by_client" : "deadline.passed"))
  }

  @Test func `old parked streams expire and let the log be truncated`() async throws {
    let delivered = Delivered()
    try await withPool { pool in
      pool.start(read(.fetch(FetchRequest(entity: "Package")), delivered, allowance: 1))
      await untilParked(pool)
      #expect(pool.expireParked(olderThan: 3_600_000_000_000) == 0)
      #expect(pool.expireParked(olderThan: 0) == 1)
      await delivered.waitForEnd()
      var busy: Int64 = 1
      try fixture.writer.statement("PRAGMA wal_checkpoint(TRUNCATE)").run { busy = $0.integer(0) }
      #expect(busy == 0)
    }
    #expect(delivered.errorCode == "stream.expired")
  }

  @Test func `reads beyond the limit wait for others`() async throws {
    let all = (0..<8).map { _ in Delivered() }
    try await withPool(threads: 2, limit: 2) { pool in
      let parked = read(.fetch(FetchRequest(entity: "Package", batch: 1)), all[0], allowance: 1)
      let other = read(.fetch(FetchRequest(entity: "Package", batch: 1)), all[1], allowance: 1)
      pool.start(parked)
      pool.start(other)
      await untilParked(pool, count: 2)
      for delivered in all[2...] {
        pool.start(read(.count(CountRequest(entity: "Package")), delivered))
      }
      #expect(pool.statistics.waiting == 6)
      let control = CallControl()
      let dropped = Delivered()
      let waiting = read(.count(CountRequest(entity: "Package")), dropped, control: control)
      pool.start(waiting)
      control.cancel()
      waiting.wake()
      await dropped.waitForEnd()
      #expect(dropped.errorCode == "cancelled.by_client")
      parked.grant(.max)
      for delivered in all[2...] { await delivered.waitForEnd() }
      #expect(all[2...].allSatisfy { $0.frames.last?["ok"]?["count"]?.int64 == 20_000 })
      #expect(pool.statistics.started == 9)
    }
    #expect(all[1].errorCode == "unavailable.draining")
  }

  @Test func `a failing read ends with its error`() async throws {
    let delivered = Delivered()
    try await withPool { pool in
      pool.start(read(.fetch(FetchRequest(entity: "Package", select: ["nam"])), delivered))
      await delivered.waitForEnd()
    }
    #expect(delivered.errorCode == "schema.unknown_attribute")
  }

  private func read(
    _ operation: DepotProtocol.Operation,
    _ delivered: Delivered,
    allowance: Int? = nil,
    control: CallControl = CallControl()
  ) -> LongRead {
    delivered.read(operation, fixture.catalog, allowance: allowance, control: control)
  }

  /// Runs `body` with a pool and closes it.
  private func withPool(
    threads: Int = 2,
    limit: Int = 8,
    _ body: (ReaderPool) async throws -> Void
  ) async throws {
    let pool = try ReaderPool(path: fixture.path, threads: threads, limit: limit)
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(pool))
    } catch {
      result = .failure(error)
    }
    await pool.close()
    #expect(pool.statistics.active == 0)
    try result.get()
  }

  private func untilParked(_ pool: ReaderPool, count: Int = 1) async {
    while pool.statistics.parked < count { await Task.yield() }
  }
}
