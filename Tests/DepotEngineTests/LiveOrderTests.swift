import DepotLinux
import DepotProtocol
import Synchronization
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
