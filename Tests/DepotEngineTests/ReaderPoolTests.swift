import DepotLinux
import DepotProtocol
import DepotSQLite
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DepotEngine

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

  @Test func `a read that waited while the schema was changed has the new one`() async throws {
    func schema(_ version: Int, _ names: [(name: String, was: String?)]) -> Schema {
      let attributes = names.map { Attribute(name: $0.name, type: .string, originalName: $0.was) }
      return Schema(
        version: SchemaVersion(version, 0, 0),
        entities: [Entity(name: "Item", attributes: attributes)]
      )
    }
    try await withStore(schema(1, [("a", nil), ("b", nil)])) { store, path in
      try await store.insert("Item", ["a", "b"], #"[["was a","was b"]]"#)
      let earlier = store.store.catalog
      try await store.write(.defineSchema(schema(2, [("a", "b"), ("b", "a")]), isDryRun: false))
      let pool = ReaderPool(path: path)
      let operations: [DepotProtocol.Operation] = [
        .fetch(FetchRequest(entity: "Item", select: ["a"])),
        .get(GetRequest(entity: "Item", identifiers: [1], select: ["a"])),
      ]
      for operation in operations {
        let delivered = Delivered()
        pool.start(delivered.read(operation, earlier))
        await delivered.waitForEnd()
        let text = delivered.frames.map(\.text).joined()
        #expect(text.contains("was b") && !text.contains("was a"), "\(text)")
      }
      await pool.close()
    }
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
    try await withPool(limit: 1, shortLimit: 1) { pool in
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
    let delivered = Delivered()
    try await withPool { pool in
      let deadline = isCancel ? .max : Monotonic.now() + 5_000_000
      let control = CallControl(deadline: deadline)
      pool.start(read(slowCount(50), delivered, control: control))
      if isCancel { control.cancel() }
      await delivered.waitForEnd()
    }
    #expect(delivered.errorCode == (isCancel ? "cancelled.by_client" : "deadline.passed"))
  }

  @Test func `parked streams rest, and expire to let the log be truncated`() async throws {
    let delivered = Delivered()
    try await withPool { pool in
      pool.start(read(.fetch(FetchRequest(entity: "Package")), delivered, allowance: 1))
      await untilParked(pool)
      pool.tendParked(olderThan: 0)
      #expect(pool.statistics.parked == 1)
      pool.shed(olderThan: 0)
      await delivered.waitForEnd()
      var busy: Int64 = 1
      try fixture.writer.statement("PRAGMA wal_checkpoint(TRUNCATE)").run { busy = $0.integer(0) }
      #expect(busy == 0)
    }
    #expect(delivered.errorCode == "stream.expired")
  }

  @Test func `reads beyond the limit wait for others`() async throws {
    let all = (0..<8).map { _ in Delivered() }
    try await withPool(limit: 2, shortLimit: 0) { pool in
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

  @Test func `a short read isn't kept by long ones, and long ones come to their end in turns`()
    async throws
  {
    let endless = (0..<6).map { _ in Delivered() }
    try await withPool(scheduler: ReadScheduler(concurrency: 1)) { pool in
      let controls = endless.map { _ in CallControl() }
      let reads = zip(endless, controls).map { delivered, control in
        read(slowCount(2000), delivered, control: control, client: 1)
      }
      let (short, long) = (Delivered(), Delivered())
      let count = read(.count(CountRequest(entity: "Package")), short, client: 2)
      let slow = read(slowCount(3), long, client: 2)
      // A task that waits while all other tests begin would be too late: the endless ones end after all.
      try await onThread {
        for read in reads { pool.start(read) }
        try expectSoon("no read is long") { pool.held == 6 }
        pool.start(count)
        pool.start(slow)
        try expectSoon("short ones have no turns") { short.isEnded && long.isEnded }
        #expect(short.frames.last?["ok"]?["count"]?.int64 == 20_000)
        #expect(long.frames.last?["ok"]?["count"]?.int64 == 20_000)
        // One that waits for its turn hears its cancel as well as one that computes.
        for index in reads.indices {
          #expect(!endless[index].isEnded)
          controls[index].cancel()
          reads[index].wake()
          try expectSoon("a cancel isn't heard") { endless[index].isEnded }
          #expect(endless[index].errorCode == "cancelled.by_client")
        }
      }
    }
  }

  @Test func `the longest-waiting stream of the client that has most makes room`() async throws {
    let parked = (0..<3).map { _ in Delivered() }
    try await withPool(limit: 3) { pool in
      for (index, client) in [(0, 2), (1, 1), (2, 1)] as [(Int, Int64)] {
        let fetch = FetchRequest(entity: "Package", batch: 1)
        pool.start(read(.fetch(fetch), parked[index], allowance: 1, client: client))
        await untilParked(pool, count: index + 1)
      }
      let long = Delivered()
      pool.start(read(slowCount(10), long, client: 3))
      await parked[1].waitForEnd()
      await long.waitForEnd()
      #expect(parked[1].errorCode == "stream.expired")
      #expect(!parked[0].isEnded && !parked[2].isEnded)
      #expect(long.frames.last?["ok"]?["count"]?.int64 == 20_000)
    }
  }

  @Test func `a long read without a place begins again when there is one`() async throws {
    let (endless, long, short) = (Delivered(), Delivered(), Delivered())
    try await withPool(limit: 1) { pool in
      let control = CallControl()
      let first = read(slowCount(2000), endless, control: control, client: 1)
      let second = read(slowCount(10), long, client: 2)
      let third = read(.count(CountRequest(entity: "Package")), short, client: 3)
      // As above.
      try await onThread {
        pool.start(first)
        try expectSoon("the read isn't long") { pool.held == 1 }
        pool.start(second)
        try expectSoon("the read isn't postponed") { pool.statistics.waiting == 1 }
        pool.start(third)
        try expectSoon("the short one has no turn") { short.isEnded }
        #expect(!endless.isEnded && !long.isEnded)
        control.cancel()
        first.wake()
        try expectSoon("the read doesn't begin again") { long.isEnded }
        #expect(long.frames.last?["ok"]?["count"]?.int64 == 20_000)
      }
    }
  }

  /// A count of all rows that computes for longer the more `parts` it has: some milliseconds for each.
  private func slowCount(_ parts: Int) -> DepotProtocol.Operation {
    let pattern = QueryExpression.value(.string("(a|b|c|d|x)*y"))
    let scan = QueryExpression.text(.like, .attribute("name"), .value(.string("*a*b*z*")))
    let part = QueryExpression.not(.or([scan, .text(.matches, .attribute("name"), pattern)]))
    return .count(
      CountRequest(entity: "Package", predicate: .and(Array(repeating: part, count: parts)))
    )
  }

  private func read(
    _ operation: DepotProtocol.Operation,
    _ delivered: Delivered,
    allowance: Int? = nil,
    control: CallControl = CallControl(),
    client: Int64 = 0
  ) -> LongRead {
    delivered.read(
      operation,
      fixture.catalog,
      allowance: allowance,
      control: control,
      client: client
    )
  }

  /// Runs `body` with a pool, whose reads take turns with those of no other test, and closes it.
  private func withPool(
    limit: Int = 8,
    shortLimit: Int = 8,
    scheduler: ReadScheduler = ReadScheduler(concurrency: 2),
    _ body: (ReaderPool) async throws -> Void
  ) async throws {
    let pool = ReaderPool(
      path: fixture.path,
      limit: limit,
      shortLimit: shortLimit,
      scheduler: scheduler
    )
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

extension ReaderPool {
  /// How many reads hold their connection for long.
  fileprivate var held: Int { state.withLock { $0.heldCount } }
}
