import DepotEngine
import DepotLinux
import DepotProtocol
import DepotSQLite
import Testing

@Suite struct BatchTests {
  private func insert(_ name: String) -> DepotProtocol.Operation {
    .insert(
      InsertRequest(entity: "Item", columns: ["name"], rows: RowBatch([[.string(name)]]))
    )
  }

  @Test func `a request that fails in a batch fails alone`() async throws {
    // On a machine that has no time for it, a batch ends before the last request.
    var isShared = false
    for _ in 0..<20 where !isShared { isShared = try await failsAlone() }
    #expect(isShared)
  }

  /// Writes four requests, one of which fails, and returns whether they were in one transaction.
  private func failsAlone() async throws -> Bool {
    var isShared = false
    try await withStore { store, path in
      let before = store.store.statistics
      let operations = ["a", "b", "a", "c"].map(insert)
      let results = await store.write(operations)
      #expect(results.map { (try? $0.get()) != nil } == [true, true, false, true])
      let stored = try rows("SELECT a_name FROM e_Item ORDER BY id", in: path)
      #expect(stored == [[.text("a")], [.text("b")], [.text("c")]])
      let after = store.store.statistics
      #expect(after.writes == before.writes + 3)
      #expect(after.failedWrites == before.failedWrites + 1)
      #expect(after.rowsInserted == before.rowsInserted + 3)
      isShared = after.commits == before.commits + 1 && after.largestBatch == 4
    }
    return isShared
  }

  @Test func `a cancelled write isn't applied`() async throws {
    try await withStore { store, path in
      let control = CallControl()
      control.cancel()
      let results = await store.write([insert("a"), insert("b")], control: control)
      #expect(results.allSatisfy { $0.error?.code == .cancelled })
      let stored = try rows("SELECT id FROM e_Item", in: path)
      #expect(stored.isEmpty)
    }
  }

  @Test func `a write whose deadline has passed isn't applied`() async throws {
    try await withStore { store, path in
      let results = await store.write([insert("a")], control: CallControl(deadline: 1))
      #expect(results.map { $0.error?.code } == [.deadline])
      let stored = try rows("SELECT id FROM e_Item", in: path)
      #expect(stored.isEmpty)
    }
  }

  @Test func `a write that is stopped on its way is applied as a whole or not at all`() async throws
  {
    try await withStore { store, path in
      var expected = 0
      var stopped = 0
      // A tenth of a millisecond at first, five seconds in the end.
      var time = 100_000.0
      for attempt in 0..<60 {
        let batches = ["a", "b"].map { name in
          (0..<2000).map { [Value.string("\(attempt) \(name) \($0)")] }
        }
        let operations = batches.map {
          DepotProtocol.Operation.insert(
            InsertRequest(entity: "Item", columns: ["name"], rows: RowBatch($0))
          )
        }
        let control = CallControl(deadline: Monotonic.now() + UInt64(time))
        time *= 1.2
        for result in await store.write(operations, control: control) {
          if let error = result.error {
            #expect(error.code == .deadline)
            stopped += 1
          } else {
            expected += 2000
          }
        }
        let count = try rows("SELECT count(*) FROM e_Item", in: path)
        #expect(count == [[.integer(Int64(expected))]])
      }
      #expect(stopped > 0 && expected > 0)
    }
  }

  @Test func `a large log is copied into the database and begun anew`() async throws {
    try await withStorePath { path in
      var configuration = StoreConfiguration(path: path)
      configuration.walLimitBytes = 64 << 10
      let store = try StoreFixture(configuration)
      try await store.write(.defineSchema(.items, isDryRun: false))
      for batch in 0..<50 {
        try await store.insert((0..<100).map { [.string("\(batch)-\($0)"), .null] })
      }
      #expect(store.store.statistics.checkpoints > 2)
      #expect(store.store.statistics.walBytes < 256 << 10)
      await store.close()
      #expect(try Store.check(path: path) == [])
    }
  }
}

extension Result {
  var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
