import DepotLinux
import DepotProtocol
import TestSupport
import Testing

@testable import DepotEngine

/// Watches that ask for the same rows.
@Suite struct SharedRowsTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Task",
      attributes: [
        Attribute(name: "n", type: .int64), Attribute(name: "text", type: .string),
      ],
      relationships: [Relationship(name: "list", destination: "List", isOptional: true)]
    ),
    Entity(name: "List", attributes: [Attribute(name: "n", type: .int64)]),
  ])

  private func rows(_ numbers: Range<Int>) -> String {
    "[" + numbers.map { "[\($0),\"t\"]" }.joined(separator: ",") + "]"
  }

  /// The fetches that are watched, each written in two ways with one meaning, so that nothing is shared between them.
  private static let fetches: [(String, @Sendable (Bool) -> FetchRequest)] = [
    ("all", { FetchRequest(entity: "Task", predicate: below(1000, $0)) }),
    (
      "sorted",
      {
        FetchRequest(
          entity: "Task",
          predicate: below(60, $0),
          sort: [SortKey("n", descending: true)],
          select: ["n", "text"]
        )
      }
    ),
    (
      "window",
      {
        FetchRequest(entity: "Task", predicate: below(1000, $0), sort: [SortKey("n")], limit: 5)
      }
    ),
    (
      "offset",
      {
        FetchRequest(
          entity: "Task",
          predicate: below(1000, $0),
          sort: [SortKey("n")],
          limit: 5,
          offset: 2
        )
      }
    ),
    (
      "prefetched",
      { FetchRequest(entity: "Task", predicate: below(1000, $0), prefetch: ["list"]) }
    ),
  ]

  private static func below(_ limit: Int64, _ isTwin: Bool) -> QueryExpression {
    let n = QueryExpression.attribute("n")
    return isTwin
      ? .comparison(.greater, .value(.int64(limit)), n)
      : .comparison(.less, n, .value(.int64(limit)))
  }

  @Test func `have each difference found once`() async throws {
    try await withLive(Self.schema) { live in
      try await live.insert("Task", ["n", "text"], rows(0..<20))
      var clients: [LiveClient] = []
      for number in 0..<40 {
        // Which of the others' changes a client wants doesn't matter as long as none is its own.
        var request = WatchRequest(.fetch(Self.fetches[number % 2].1(false)))
        request.echoes = number % 3 > 0
        clients.append(try await live.watch(request))
      }
      // Until the first change nobody knows that they know the same.
      try await insert(live, 20)
      try await live.settle()
      let before = await live.live.stepCounts
      for round in 0..<5 {
        try await insert(live, 30 + round)
        try await live.settle()
      }
      let after = await live.live.stepCounts
      #expect(before.count == 40)
      let found = zip(before, after).map { $1 - $0 }
      #expect(Set(found) == [5], "\(found)")
      for client in clients {
        let changes = client.all.filter { $0["kind"]?.string == "change" }
        #expect(changes.count == 6)
      }
    }
  }

  @Test func `keep large results apart, so that no change copies them`() async throws {
    try await withLive(Self.schema) { live in
      try await live.insert("Task", ["n", "text"], rows(0..<SharedRows.rowLimit + 1))
      let request = WatchRequest(.fetch(Self.fetches[0].1(false)))
      let clients = try await [live.watch(request), live.watch(request)]
      for round in 0..<3 {
        try await insert(live, 900 + round)
        try await live.settle()
      }
      #expect(await live.live.stepCounts == [0, 0])
      for client in clients {
        #expect(client.all.count { $0["kind"]?.string == "change" } == 3)
      }
    }
  }

  @Test(arguments: 1...8)
  func `hear what each would hear alone, byte for byte`(seed: UInt64) async throws {
    try await withLive(Self.schema) { live in
      var random = SeededGenerator(seed: seed)
      try await live.insert("List", ["n"], "[[1],[2]]")
      try await live.insert("Task", ["n", "text"], rows(0..<30))
      // Three share their steps, the fourth has none to share them with.
      var groups: [(name: String, clients: [LiveClient])] = []
      for (name, fetch) in Self.fetches {
        for echoes in [true, false] {
          var clients: [LiveClient] = []
          for number in 0..<4 {
            var request = WatchRequest(.fetch(fetch(number == 3)))
            request.echoes = echoes
            clients.append(try await live.watch(request))
          }
          groups.append((name, clients))
        }
      }
      for round in 0..<40 {
        try await change(live, round, &random)
        // Each is told of each commit by itself, as far as the thread has it so.
        try await live.settle()
      }
      for (name, clients) in groups {
        // Where reading the rows took too long for this thread, a reader did it, and others were told otherwise.
        if clients.contains(where: { $0.kinds.contains("gap") }) { continue }
        let alone = clients[3].all
        for client in clients.dropLast() {
          let differing = zip(client.all, alone).first { $0 != $1 }
          #expect(client.all.count == alone.count, "seed \(seed), \(name)")
          #expect(
            differing == nil,
            "seed \(seed), \(name): \(differing?.0.text ?? "") is \(differing?.1.text ?? "") alone"
          )
        }
      }
    }
  }

  @Test(arguments: 1...8)
  func `agree with the rows whoever has room when`(seed: UInt64) async throws {
    try await withLive(Self.schema) { live in
      var random = SeededGenerator(seed: seed)
      try await live.insert("List", ["n"], "[[1],[2]]")
      var clients: [(client: LiveClient, fetch: FetchRequest)] = []
      for number in 0..<20 {
        let fetch = Self.fetches[number % 5].1(false)
        let isSlow = number % 3 == 0
        let client = try await live.watch(
          WatchRequest(.fetch(fetch)),
          connection: Int64(7 + number % 2),
          allowance: isSlow ? 3 : nil
        )
        clients.append((client, fetch))
      }
      for round in 0..<60 {
        try await change(live, round, &random)
        if Int.random(in: 0..<4, using: &random) == 0 {
          clients.randomElement(using: &random)?.client.watch?.grant(1)
        }
        if Int.random(in: 0..<10, using: &random) == 0 { try await live.settle(99) }
      }
      for (client, _) in clients { client.watch?.grant(10_000) }
      try await live.settle(7)
      try await live.settle(8)
      for (number, (client, fetch)) in clients.enumerated() {
        var known = LiveRows()
        for frame in client.all { try known.apply(frame) }
        // With `select` a version is only as new as the values that were sent.
        let rows = try await live.fetch(fetch)
        #expect(rows.map(Self.withoutVersion) == known.rows.map(Self.withoutVersion), "\(number)")
      }
    }
  }

  private static func withoutVersion(_ row: [JSONValue]) -> [JSONValue] { [row[0]] + row[2...] }

  /// Inserts a row by another connection than those that watch.
  private func insert(_ live: LiveFixture, _ number: Int) async throws {
    let json = #"{"entity":"Task","columns":["n","text"],"rows":\#(rows(number..<number + 1))}"#
    _ = try await live.fixture.write([Operation("insert", json)], connection: 8)[0].get()
  }

  /// Changes some rows on one of two connections.
  private func change(
    _ live: LiveFixture,
    _ round: Int,
    _ random: inout SeededGenerator
  ) async throws {
    let number = Int.random(in: 0..<100, using: &random)
    let connection = Int64.random(in: 7...8, using: &random)
    let author = Bool.random(using: &random) ? "ann" : "bob"
    func call(_ name: String, _ json: String) async throws {
      let operation = try Operation(name, json)
      _ = try await live.fixture.write([operation], author: author, connection: connection)[0].get()
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      try await call(
        "insert",
        #"{"entity":"Task","columns":["n","text"],"rows":\#(rows(number..<number + 3))}"#
      )
    case 1:
      try await call(
        "update",
        #"{"entity":"Task","where":"n == \#(number)","set":{"n":\#(99 - number)}}"#
      )
    case 2:
      try await call(
        "update",
        #"{"entity":"Task","where":"n < \#(number)","set":{"text":"\#(round)"}}"#
      )
    case 3:
      let list = 1 + number % 2
      try await call(
        "update",
        #"{"entity":"Task","where":"n BETWEEN {\#(number), \#(number + 5)}","set":{"list":\#(list)}}"#
      )
    case 4:
      let list = 1 + number % 2
      try await call("update", #"{"entity":"List","ids":[\#(list)],"set":{"n":\#(round)}}"#)
    default: try await call("delete", #"{"entity":"Task","where":"n == \#(number)"}"#)
    }
  }
}

extension LiveQueries {
  /// How often a step of each watch of rows was found.
  fileprivate var stepCounts: [Int] {
    queries.values.compactMap { query in
      guard case .rows(let plan, _) = query.subject else { return nil }
      return plan.shared.findCount
    }
  }
}
