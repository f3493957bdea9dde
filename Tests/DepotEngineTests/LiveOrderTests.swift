import DepotLinux
import DepotProtocol
import Synchronization
import TestSupport
import Testing

@testable import DepotEngine

/// The order of notifications of many watches after commits that none could receive.
@Suite struct LiveOrderTests {
  private static let schema = Schema(entities: [
    Entity(name: "Busy", attributes: [Attribute(name: "n", type: .int64)]),
    Entity(name: "Quiet", attributes: [Attribute(name: "n", type: .int64)]),
  ])

  private func rows(_ numbers: Range<Int>) -> String {
    "[" + numbers.map { "[\($0)]" }.joined(separator: ",") + "]"
  }

  /// Keeps the thread that evaluates until the gate is signalled.
  private func hold(_ live: LiveFixture) async -> Semaphore {
    let gate = Semaphore()
    await withCheckedContinuation { continuation in
      live.live.add(
        LiveBarrier(connection: 99, control: CallControl()) { _ in
          continuation.resume()
          gate.wait()
        }
      )
    }
    return gate
  }

  @Test func `a watch that seldom hears something waits for none of those that always do`()
    async throws
  {
    try await withLive(Self.schema) { live in
      let order = Mutex<[Int]>([])
      for number in 0..<40 {
        let watch = LiveWatch(
          WatchRequest(.count(CountRequest(entity: number == 20 ? "Quiet" : "Busy"))),
          control: CallControl(),
          reply: ReplyWriter(id: 1, framing: .lines),
          connection: 7,
          allowance: nil
        ) { _, _, _ in order.withLock { $0.append(number) } }
        live.live.begin(watch)
      }
      try await live.settle()
      for round in 0..<3 {
        try await live.insert("Busy", ["n"], rows(round * 300..<round * 300 + 300))
        try await live.settle()
      }
      let gate = await hold(live)
      order.withLock { $0 = [] }
      for round in 3..<6 {
        try await live.insert("Busy", ["n"], rows(round * 300..<round * 300 + 300))
      }
      try await live.insert("Quiet", ["n"], "[[1]]")
      gate.signal()
      try await live.settle()
      let heard = order.withLock { $0 }
      #expect(heard.first == 20, "\(heard)")
      // One event tells of all commits that came meanwhile.
      #expect(heard.sorted() == Array(0..<40), "\(heard)")
    }
  }

  @Test func `equal watches have their answer found once for each moment`() async throws {
    try await withLive(Self.schema) { live in
      var clients: [LiveClient] = []
      for number in 0..<40 {
        let request = CountRequest(
          entity: "Busy",
          predicate: .comparison(.less, .attribute("n"), .value(.int64(number < 30 ? 500 : 800)))
        )
        clients.append(try await live.watch(WatchRequest(.count(request))))
      }
      let before = await live.live.findCounts
      #expect(before.count == 40)
      // All commits come before one of the watches is looked at.
      let gate = await hold(live)
      for round in 0..<5 {
        try await live.insert("Busy", ["n"], rows(round * 200..<round * 200 + 200))
      }
      gate.signal()
      try await live.settle()
      let after = await live.live.findCounts
      // Two are found, in as many slices of time as the thread needs.
      #expect((after.max() ?? 0) - (before.max() ?? 0) < 10, "\(before) \(after)")
      for (number, client) in clients.enumerated() {
        let last = client.all.last { $0["next"] != nil }
        #expect(last?["next"]?.array?.first?.array?.first?.int64 == (number < 30 ? 500 : 800))
      }
      let statistics = live.live.statistics
      #expect(statistics.current == 40)
      #expect(statistics.notified >= 40)
      #expect(statistics.longestLateSeconds > 0)
      #expect(statistics.lateSeconds >= statistics.longestLateSeconds)
    }
  }

  @Test func `commits that came together are noted together, but by who made them`() async throws {
    try await withLive(Self.schema) { live in
      let all = try await live.watch(WatchRequest(FetchRequest(entity: "Busy")))
      var quiet = WatchRequest(FetchRequest(entity: "Busy"))
      quiet.echoes = false
      let own = try await live.watch(quiet)
      let gate = await hold(live)
      for number in 0..<10 {
        let request = InsertRequest(
          entity: "Busy",
          columns: ["n"],
          rows: .text("[[\(number)]]")
        )
        _ = try await live.fixture.write(
          [.insert(request)],
          author: number % 2 == 0 ? "ann" : "bob",
          connection: number < 4 ? 7 : 8
        )[0].get()
      }
      gate.signal()
      try await live.settle()
      func numbers(_ client: LiveClient) -> [Int64] {
        client.all.filter { $0["kind"]?.string == "change" }
          .flatMap { $0["next"]?.array ?? [] }.compactMap { $0.array?[2].int64 }.sorted()
      }
      #expect(numbers(all) == Array(0..<10))
      #expect(numbers(own) == Array(4..<10))
    }
  }

  @Test(arguments: 1...4)
  func `equal counts agree with the rows whoever has room when`(seed: UInt64) async throws {
    try await withLive(Self.schema) { live in
      var random = SeededGenerator(seed: seed)
      var clients: [LiveClient] = []
      for number in 0..<12 {
        let request = CountRequest(
          entity: "Busy",
          predicate: .comparison(.less, .attribute("n"), .value(.int64(number % 2 == 0 ? 50 : 20)))
        )
        let isSlow = number % 3 == 0
        clients.append(
          try await live.watch(
            WatchRequest(.count(request)),
            connection: Int64(7 + number % 2),
            allowance: isSlow ? 3 : nil
          )
        )
      }
      for _ in 0..<60 {
        let number = Int.random(in: 0..<100, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: try await live.insert("Busy", ["n"], rows(number..<number + 3))
        case 1:
          let json =
            "{\"entity\":\"Busy\",\"where\":\"n == \(number)\",\"set\":{\"n\":\(99 - number)}}"
          try await live.fixture.call("update", json)
        default:
          try await live.fixture.call(
            "delete",
            "{\"entity\":\"Busy\",\"where\":\"n == \(number)\"}"
          )
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
          clients.randomElement(using: &random)?.watch?.grant(1)
        }
      }
      for client in clients { client.watch?.grant(1000) }
      try await live.settle(7)
      try await live.settle(8)
      for (number, client) in clients.enumerated() {
        let limit = number % 2 == 0 ? 50 : 20
        let request = CountRequest(
          entity: "Busy",
          predicate: .comparison(.less, .attribute("n"), .value(.int64(Int64(limit))))
        )
        let now = try await live.rows(of: .count(request)).first?.first
        let last = client.all.last { $0["next"] != nil }
        #expect(last?["next"]?.array?.first?.array?.first == now, "seed \(seed), \(number)")
      }
    }
  }

  @Test func `rows of many commits that a watch hasn't looked at yet are each told once`()
    async throws
  {
    try await withLive(Self.schema) { live in
      let client = try await live.watch(WatchRequest(FetchRequest(entity: "Busy")))
      _ = client.take()
      let gate = await hold(live)
      for round in 0..<4 {
        try await live.insert("Busy", ["n"], rows(round * 10..<round * 10 + 10))
      }
      gate.signal()
      try await live.settle()
      let changes = client.all.filter { $0["kind"]?.string == "change" }
      #expect(changes.count == 1)
      #expect(changes.first?["next"]?.array?.count == 40)
    }
  }
}

extension LiveQueries {
  /// How often the answer of each watch of a count was found.
  fileprivate var findCounts: [Int] {
    queries.values.compactMap { query in
      guard case .value(let value) = query.subject else { return nil }
      return value.shared.findCount
    }
  }
}
