import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotEngine

/// How watches begin, and begin anew.
@Suite struct LiveBeginningTests {
  /// The items, and entities that nobody watches.
  private static func schema(_ attributes: String..., others: Int = 0) -> Schema {
    var schema = Schema.items
    for name in attributes {
      schema.entities[0].attributes.append(Attribute(name: name, type: .int64, isOptional: true))
    }
    for number in 0..<others {
      schema.entities.append(
        Entity(name: "Other\(number)", attributes: [Attribute(name: "x", type: .string)])
      )
    }
    return schema
  }

  private static let items = WatchRequest(FetchRequest(entity: "Item"))

  private func withItems(_ body: (_ live: LiveFixture) async throws -> Void) async throws {
    try await withLive(.items) { live in
      try await live.insert("Item", ["name", "size"], #"[["a",1],["b",2],["c",3]]"#)
      try await body(live)
    }
  }

  @Test func `a schema that was prepared is told when it is committed, and only then`() async throws
  {
    try await withItems { live in
      let client = try await live.watch(Self.items)
      _ = client.take()
      let define = DepotProtocol.Operation.defineSchema(Self.schema("extra"), isDryRun: false)
      let store = live.fixture
      for phase in [WriteRequest.Phase.prepare, .undo] {
        _ = try await store.write([define], phase: phase)[0].get()
      }
      try await live.settle()
      #expect(client.kinds == [])
      for phase in [WriteRequest.Phase.prepare, .commit] {
        _ = try await store.write([define], phase: phase)[0].get()
      }
      try await live.settle()
      #expect(client.kinds == ["gap", "snapshot", "live"])
      #expect(client.all[1]["columns"]?.array?.last == .string("extra"))
    }
  }

  @Test
  func `who waits for a connection to know everything doesn't wait for a watch that fails`()
    async throws
  {
    try await withItems { live in
      let numbers = [2, 1, Double.nan].map { QueryExpression.value(.double($0)) }
      let key = SortKey(.between(numbers[0], numbers[1], numbers[2]))
      // This waits from before the rows are read.
      let client = try await live.watch(WatchRequest(FetchRequest(entity: "Item", sort: [key])))
      #expect(client.kinds == ["err"])
    }
  }

  @Test func `new columns are told to a slow client also if the schema changes again`() async throws
  {
    try await withItems { live in
      let client = try await live.watch(Self.items, allowance: 2)
      try await expectSoon { client.kinds == ["snapshot", "live"] }
      _ = client.take()
      for others in 0...1 {
        let schema = Self.schema("extra", others: others)
        try await live.fixture.write(.defineSchema(schema, isDryRun: false))
        try await live.settle(0)
      }
      try await live.update("Item", 1, ["extra"], "[7]")
      client.watch?.grant(100)
      try await live.settle()
      #expect(client.kinds == ["gap", "snapshot", "live"])
      var rows = LiveRows()
      for frame in client.take() { try rows.apply(frame) }
      #expect(rows.columns == ["$id", "$version", "name", "size", "extra"])
      #expect(rows.rows.allSatisfy { $0.count == 5 })
    }
  }

  @Test func `a count that begins while the schema changes needn't begin anew later`() async throws
  {
    try await withItems { live in
      let client = LiveClient()
      let request = WatchRequest(.count(CountRequest(entity: "Item")))
      async let change = live.fixture.write(
        .defineSchema(Self.schema("extra"), isDryRun: false)
      )
      client.begin(request, on: live.live, connection: 7, allowance: nil)
      _ = try await change
      try await live.settle()
      _ = client.take()
      try await live.insert("Item", ["name"], #"[["d"]]"#)
      try await live.settle()
      #expect(client.kinds == ["change"])
    }
  }

  @Test func `a cancellation at any moment after the beginning ends the watch`() async throws {
    try await withItems { live in
      let count = WatchRequest(.count(CountRequest(entity: "Item")))
      for round in 0..<400 {
        let client = LiveClient()
        client.begin(count, on: live.live, connection: 7, allowance: nil)
        for _ in 0..<(round % 40) * 50 { _ = client.watch }
        client.watch?.control.cancel()
        client.watch?.wake()
        try await expectSoon { client.kinds.last == "err" }
      }
    }
  }

  @Test func `a watch that ends before it begins leaves the next one all that is committed`()
    async throws
  {
    try await withItems { live in
      let control = CallControl()
      control.cancel()
      let ended = LiveClient()
      ended.begin(Self.items, on: live.live, connection: 7, allowance: nil, control: control)
      try await expectSoon { ended.kinds == ["err"] }
      let client = try await live.watch(Self.items)
      _ = client.take()
      try await live.insert("Item", ["name"], #"[["d"]]"#)
      try await live.settle()
      #expect(client.kinds == ["change"])
    }
  }

  @Test func `a client that came back and was too slow gets all rows`() async throws {
    try await withItems { live in
      let token = try await live.settle()
      let many = (0..<6000).map { "[\"m\($0)\"]" }.joined(separator: ",")
      try await live.insert("Item", ["name"], "[" + many + "]")
      var request = Self.items
      request.since = token
      let client = try await live.watch(request, allowance: 2)
      try await expectSoon { client.kinds == ["resume", "live"] }
      _ = client.take()
      for number in 0..<2 {
        let more = (0..<6000).map { "[\"n\(number)-\($0)\"]" }.joined(separator: ",")
        try await live.insert("Item", ["name"], "[" + more + "]")
        try await live.settle(0)
      }
      client.watch?.grant(1000)
      try await live.settle()
      #expect(client.kinds.prefix(2) == ["gap", "snapshot"] && client.kinds.last == "live")
      var rows = LiveRows()
      for frame in client.take() { try rows.apply(frame) }
      #expect(rows.rows.count == 18_003)
    }
  }

  @Test func `a client that missed more than fits into a frame gets several`() async throws {
    try await withItems { live in
      let before = try await live.watch(Self.items)
      var rows = LiveRows()
      for frame in before.take() { try rows.apply(frame) }
      let long = String(repeating: "x", count: 60_000)
      for part in 0..<6 {
        let many = (0..<50).map { "[\"\(long)\(part)-\($0)\"]" }.joined(separator: ",")
        try await live.insert("Item", ["name"], "[" + many + "]")
      }
      try await live.delete("Item", 2)
      var request = Self.items
      request.since = try HistoryToken(rows.token ?? "")
      let client = try await live.watch(request)
      let kinds = client.kinds
      #expect(kinds.count > 60 && kinds.dropLast().allSatisfy { $0 == "resume" })
      #expect(kinds.last == "live")
      for frame in client.take() { try rows.apply(frame) }
      #expect(rows.identifiers == [1] + Array(3...303))
    }
  }

  /// The items under version `number`, in which the size has another name.
  private static func renamed(_ number: Int) -> Schema {
    var schema = Schema.items
    schema.version = SchemaVersion(number, 0, 0)
    schema.entities[0].attributes[1] = Attribute(
      name: "size\(number)",
      type: .int64,
      isOptional: true,
      originalName: "size\(number - 1)"
    )
    return schema
  }

  @Test func `watches that begin around migrations never fail for them`() async throws {
    try await withItems { live in
      let requests = [
        Self.items,
        WatchRequest(.count(CountRequest(entity: "Item"))),
        WatchRequest(FetchRequest(entity: "Item", sort: [SortKey("name")], limit: 2)),
      ]
      var schema = Self.renamed(0)
      schema.entities[0].attributes[1].originalName = "size"
      try await live.fixture.write(.defineSchema(schema, isDryRun: false))
      async let changes: Void = {
        for number in 1..<60 {
          try await live.fixture.write(.defineSchema(Self.renamed(number), isDryRun: false))
        }
      }()
      var ended: [JSONValue] = []
      for round in 0..<400 {
        let client = LiveClient()
        client.begin(requests[round % 3], on: live.live, connection: 7, allowance: nil)
        try await expectSoon { client.kinds.contains("live") || client.kinds.last == "err" }
        ended += client.all.filter { $0["err"] != nil }
        client.watch?.control.cancel()
        client.watch?.wake()
      }
      try await changes
      #expect(ended == [])
    }
  }

  @Test func `a change of many large rows begins anew, one of a single row doesn't`() async throws {
    try await withItems { live in
      let client = try await live.watch(Self.items)
      let half = try await live.watch(
        WatchRequest(FetchRequest(entity: "Item", sort: [SortKey("name")], limit: 2))
      )
      var (rows, first) = (LiveRows(), LiveRows())
      for frame in client.take() { try rows.apply(frame) }
      let long = String(repeating: "x", count: 5_000_000)
      try await live.update("Item", 1, ["name"], "[\"\(long)\"]")
      try await live.settle()
      #expect(client.kinds == ["change"])
      for frame in client.take() { try rows.apply(frame) }
      let many = (0..<3).map { "[\"A\(String(repeating: "\($0)", count: 2_000_000))\"]" }
      try await live.insert("Item", ["name"], "[" + many.joined(separator: ",") + "]")
      try await live.settle()
      #expect(client.kinds.first == "gap" && client.kinds.last == "live")
      for frame in client.take() { try rows.apply(frame) }
      #expect(rows.identifiers == [1, 2, 3, 4, 5, 6])
      for frame in half.take() { try first.apply(frame) }
      #expect(first.identifiers == [4, 5])
    }
  }
}
