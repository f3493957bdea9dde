import DepotProtocol
import DepotSQLite
import TestSupport
import Testing

@testable import DepotEngine

/// The way back of many rows through the history, and what it costs.
@Suite struct PastWalkTests {
  /// Inserts rows, some alone and the rest together, and changes all of them so often.
  private func fill(
    _ store: StoreFixture,
    rows count: Int,
    alone: Int,
    updates: Int
  ) async throws {
    for number in 1...alone {
      try await store.insert("Item", ["name", "size"], "[[\"r\(number)\",\(number)]]")
    }
    let rows = (alone + 1...count).map { "[\"r\($0)\",\($0)]" }.joined(separator: ",")
    try await store.insert("Item", ["name", "size"], "[\(rows)]")
    for number in 1...updates {
      try await store.call(
        "update",
        "{\"entity\":\"Item\",\"where\":true,\"set\":{\"size\":\(-number)}}"
      )
    }
  }

  private func past(
    _ past: PastFixture,
    check: @escaping PastReader.Check = { _ in }
  ) throws -> PastReader {
    let connection = try past.connection()
    let bounds = try HistoryBounds(on: connection)
    return PastReader(connection, past.store.store.catalog, bounds, check: check)
  }

  private func moments(
    _ past: PastReader,
    _ identifiers: ClosedRange<Int64>
  ) throws
    -> [PastReader.Lookup]
  {
    let layout = try past.catalog.layout(of: "Item")
    return identifiers.map { PastReader.Lookup(identifier: $0, layout: layout, edge: 0) }
  }

  @Test func `what rows were inserted with is found in few pages`() async throws {
    try await withPast { store, past in
      try await fill(store, rows: 2500, alone: 30, updates: 12)
      let request = HistoryRequest()
      let run = try HistoryRun(
        request,
        store.store.catalog,
        ReplyWriter(id: 1, framing: .lines),
        on: past.connection()
      ) { _ in }
      defer { run.close() }
      var writer = JSONWriter()
      while try run.prepareFrame(), try !run.writeFrame(to: &writer, byteLimit: 64 << 10) {}
      // Twelve changes of some pages each, gone through once for each part that is read ahead.
      #expect(run.readPages < 200)
      let transactions: [JSONValue] = try ReaderFixture.lines(writer.bytes)
        .flatMap { $0["next"]?.array ?? [] }
      let all: [JSONValue] = transactions.flatMap { $0["changes"]?.array ?? [] }
      let changes = all.filter { $0["kind"] == .string("insert") }
      #expect(changes.count == 2500)
      for change in changes {
        let identifier = change["id"]?.int64 ?? 0
        #expect(change["new"]?["name"] == .string("r\(identifier)"))
        #expect(change["new"]?["size"] == .int64(identifier))
      }
    }
  }

  @Test func `what rows were is found for as many as fit into memory`() async throws {
    try await withPast { store, past in
      try await fill(store, rows: 50, alone: 5, updates: 3)
      try await store.delete("Item", [7])
      let reader = try self.past(past)
      var rest = try moments(reader, 1...50)[...]
      var found: [RowState] = []
      while !rest.isEmpty {
        let states = try reader.states(of: rest, byteLimit: 1000)
        #expect((1..<20).contains(states.count))
        found += try states.map { try $0.get().then }
        rest = rest.dropFirst(states.count)
      }
      let alone = try moments(reader, 1...50).map { moment in
        try reader.states(of: [moment])[0].get().then
      }
      #expect(found == alone)
      #expect(
        try found.map { try $0.values["size"]?.json() } == (1...50).map { JSONValue.int64($0) }
      )
      #expect(try reader.states(of: moments(reader, 7...7)[...])[0].get().now == .none)
    }
  }

  @Test func `the way back can be ended at each step`() async throws {
    try await withPast { store, past in
      try await fill(store, rows: 20, alone: 1, updates: 10)
      var steps = 0
      let counting = try self.past(past) { _ in steps += 1 }
      _ = try counting.states(of: moments(counting, 1...20)[...])
      #expect(steps > 200)
      for limit in stride(from: 0, to: steps, by: 37) {
        var left = limit
        let reader = try self.past(past) { _ in
          left -= 1
          if left < 0 { throw DepotError(.cancelled, "Enough.") }
        }
        let error = #expect(throws: DepotError.self) {
          try reader.states(of: moments(reader, 1...20)[...])
        }
        #expect(error?.code == .cancelled)
      }
    }
  }

  @Test func `what takes long to read isn't read by the thread of all watches`() async throws {
    try await withLive(.items) { live in
      try await fill(live.fixture, rows: 2, alone: 1, updates: 1)
      let client = try await live.watch(WatchRequest(.history(HistoryRequest())), allowance: 1)
      try await expectSoon { client.kinds == ["live"] }
      _ = client.take()
      let rows: [String] = (3...2000).map { number in "[\"r\(number)\",\(number)]" }
      let list: String = rows.joined(separator: ",")
      try await live.fixture.insert("Item", ["name", "size"], "[\(list)]")
      for number in 1...12 {
        try await live.fixture.call(
          "update",
          "{\"entity\":\"Item\",\"where\":true,\"set\":{\"size\":\(-10 - number)}}"
        )
      }
      try await live.settle(0)
      client.watch?.grant(10_000)
      try await live.settle()
      let frames = client.take()
      #expect(frames.allSatisfy { $0["kind"] == .string("change") })
      let transactions: [JSONValue] = frames.flatMap { $0["next"]?.array ?? [] }
      let changes: [JSONValue] = transactions.flatMap { $0["changes"]?.array ?? [] }
      let count: Int = 1998 + 12 * 2000
      #expect(changes.count == count)
      let inserted = changes.filter { $0["kind"] == .string("insert") }
      let sizes: [Int64] = inserted.compactMap { $0["new"]?["size"]?.int64 }
      let wanted: [Int64] = Array(3...2000)
      #expect(sizes == wanted)
    }
  }
}
