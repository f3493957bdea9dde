import DepotLinux
import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

/// The ages of keys and of the history, and the times that are told, beside a wall clock that jumps.
@Suite struct StoreTimeTests {
  private static let day = 86_400.0

  private struct Fixture {
    let store: StoreFixture
    let past: PastFixture
  }

  private func open(_ path: String, _ test: TestClocks, days: Double = 30) throws -> Fixture {
    var configuration = StoreConfiguration(path: path)
    configuration.clocks = test.clocks
    configuration.history.age = days * Self.day
    let store = try StoreFixture(configuration)
    return Fixture(store: store, past: PastFixture(store: store, path: path))
  }

  /// Has history deleted that needn't be kept.
  private func purge(_ fixture: Fixture) async throws {
    fixture.store.store.purgeHistory()
    // A write waits for the step before it.
    let value = Int64.random(in: 100...1 << 40)
    try await fixture.store.update("Item", [1], ["size"], "[\(value)]")
  }

  /// Whether a purge leaves so many transactions.
  ///
  /// One beside a commit is given up, and tried again.
  private func keeps(_ count: Int, _ fixture: Fixture) async throws -> Bool {
    for _ in 0..<1000 where try fixture.past.history().count != count {
      fixture.store.store.purgeHistory()
      try await Task.sleep(for: .milliseconds(10))
    }
    return try fixture.past.history().count == count
  }

  private func dates(_ fixture: Fixture) throws -> [Double] {
    try fixture.past.history().map { transaction in
      let text = try #require(transaction["at"]?.string)
      return try #require(DateText.parse(text.utf8))
    }
  }

  @Test(arguments: [40 * Self.day, 4000 * Self.day, -40 * Self.day])
  func `a jump of the wall clock drops no key and no history`(jump: Double) async throws {
    try await withStorePath { path in
      let test = TestClocks()
      var fixture = try open(path, test)
      try await fixture.store.write(.defineSchema(.items, isDryRun: false))
      let first = try await fixture.store.insert([[.string("a"), .int64(1)]], key: "k")
      let count = try fixture.past.history().count
      for isStopped in [false, true, false] {
        test.pass(61)
        if isStopped { await fixture.store.close() }
        test.jump(by: jump)
        if isStopped { fixture = try open(path, test) }
        try await purge(fixture)
        #expect(try await fixture.store.insert([[.string("a"), .int64(1)]], key: "k") == first)
        #expect(try fixture.past.history().count >= count)
      }
      await fixture.store.close()
    }
  }

  @Test func `keys and history are kept as long as they are to be, and no longer`() async throws {
    try await withStorePath { path in
      let test = TestClocks()
      let fixture = try open(path, test, days: 1)
      let store = fixture.store
      try await store.write(.defineSchema(.items, isDryRun: false))
      try await store.insert([[.string("a"), .int64(1)]], key: "k")
      func keys() throws -> Int { try rows("SELECT key FROM depot_outcome", in: path).count }
      test.pass(599)
      try await store.update("Item", [1], ["size"], "[2]")
      #expect(try keys() == 1)
      await store.close()
      test.pass(602)
      let again = try open(path, test, days: 1)
      try await again.store.update("Item", [1], ["size"], "[3]")
      #expect(try keys() == 0)
      test.pass(Self.day - 1210)
      try await purge(again)
      #expect(try again.past.history().count == 5)
      test.pass(20)
      try await purge(again)
      #expect(try await keeps(4, again))
      test.pass(Self.day + 1)
      try await purge(again)
      #expect(try await keeps(1, again))
      await again.store.close()
    }
  }

  @Test func `the time while the machine was off doesn't count, and that of a stop does`()
    async throws
  {
    try await withStorePath { path in
      let test = TestClocks()
      var fixture = try open(path, test, days: 1)
      try await fixture.store.write(.defineSchema(.items, isDryRun: false))
      try await fixture.store.insert([[.string("a"), .int64(1)]])
      let count = try fixture.past.history().count
      await fixture.store.close()
      test.reboot(off: 40 * Self.day, as: "second")
      fixture = try open(path, test, days: 1)
      try await purge(fixture)
      #expect(try fixture.past.history().count == count + 1)
      let dates = try dates(fixture)
      #expect(dates == dates.sorted())
      #expect(dates.last == test.now.wall)
      await fixture.store.close()
      test.pass(2 * Self.day)
      fixture = try open(path, test, days: 1)
      try await purge(fixture)
      #expect(try fixture.past.history().count == 1)
      await fixture.store.close()
    }
  }

  @Test(arguments: [3600.0, 40 * Self.day, -3600, -40 * Self.day], [false, true])
  func `times never run backwards, and return to the wall clock`(
    jump: Double,
    isStopped: Bool
  ) async throws {
    try await withStorePath { path in
      let test = TestClocks()
      var fixture = try open(path, test)
      try await fixture.store.write(.defineSchema(.items, isDryRun: false))
      try await fixture.store.insert([[.string("a"), .int64(1)]])
      func write() async throws {
        try await fixture.store.update("Item", [1], ["size"], "[\(Int64.random(in: 1...1 << 40))]")
        let dates = try dates(fixture)
        #expect(dates == dates.sorted())
      }
      for step in [jump, -jump] {
        if isStopped { await fixture.store.close() }
        test.jump(by: step)
        if isStopped { fixture = try open(path, test) }
        for _ in 0..<6 {
          try await write()
          test.pass(10)
        }
        try await write()
        #expect(abs(try #require(dates(fixture).last) - test.now.wall) < 1e-3)
      }
      // A moment of the day leads to the same place whatever the clock said meanwhile.
      let told = try dates(fixture)
      var middle = JSONWriter()
      DateText.write(told[4], to: &middle)
      let since = String(decoding: middle.bytes, as: UTF8.self)
      let found = try fixture.past.history("{\"since\":\(since)}").count
      #expect(found == told.count { $0 >= told[4] })
      await fixture.store.close()
    }
  }

  @Test func `what a crash leaves counts on from the last transaction`() async throws {
    try await withStorePath { path in
      let test = TestClocks()
      let fixture = try open(path, test)
      try await fixture.store.write(.defineSchema(.items, isDryRun: false))
      try await fixture.store.insert([[.string("a"), .int64(1)]])
      test.pass(50)
      try await fixture.store.update("Item", [1], ["size"], "[2]")
      test.pass(50)
      // The files as they are now are what a crash would leave.
      let copy = path + "2"
      for suffix in ["", "-wal", ".state"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
      }
      test.jump(by: -Self.day)
      let crashed = try open(copy, test)
      try await crashed.store.update("Item", [1], ["size"], "[3]")
      let times = try rows("SELECT at FROM depot_history WHERE id = token ORDER BY id", in: copy)
      #expect(times == [[.real(0)], [.real(0)], [.real(50)], [.real(50)]])
      await crashed.store.close()
      await fixture.store.close()
    }
  }
}
