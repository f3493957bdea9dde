import TestSupport
import Testing

@testable import DepotEngine

@Suite struct FairQueueTests {
  @Test func `whoever used least is next, and a client's elements stay in their order`() {
    var queue = FairQueue<String>()
    for element in ["a1", "a2", "a3"] { queue.add(element, of: 1) }
    queue.add("b1", of: 2)
    var order: [String] = []
    while let element = queue.next() {
      order.append(element)
      queue.charge(element.hasPrefix("a") ? 10 : 1, to: element.hasPrefix("a") ? 1 : 2)
      if element == "b1" { queue.add("b2", of: 2) }
    }
    #expect(order == ["a1", "b1", "b2", "a2", "a3"])
  }

  @Test func `all that satisfy a condition are taken, whosever they are`() {
    var queue = FairQueue<Int>()
    for client in 1...3 {
      for number in 0..<4 { queue.add(10 * client + number, of: Int64(client)) }
    }
    let removed = queue.removeAll { $0.isMultiple(of: 2) || $0 / 10 == 2 }
    #expect(removed.sorted() == [10, 12, 20, 21, 22, 23, 30, 32])
    #expect(queue.removeAll { $0 > 100 } == [])
    #expect(queue.count == 4)
    #expect([queue.next(), queue.next(), queue.next()] == [11, 13, 31])
  }

  @Test func `what a client hasn't used isn't saved up for it`() {
    var queue = FairQueue<Int>()
    for _ in 0..<10 {
      queue.add(1, of: 1)
      #expect(queue.next() == 1)
      queue.charge(100, to: 1)
    }
    for _ in 0..<3 {
      queue.add(1, of: 1)
      queue.add(2, of: 2)
    }
    var order: [Int] = []
    while let client = queue.next() {
      order.append(client)
      queue.charge(100, to: Int64(client))
    }
    #expect(order == [1, 2, 1, 2, 1, 2])
  }

  @Test func `a client doesn't wait for ever, though others come anew all the time`() {
    var queue = FairQueue<Int64>()
    queue.add(0, of: 0)
    queue.add(1, of: 1)
    #expect(queue.next() == 0)
    queue.charge(1000, to: 0)
    queue.add(0, of: 0)
    let served = (Int64(2)...10_000).first { client in
      queue.add(client, of: client)
      let next = queue.next()
      if let next { queue.charge(10, to: next) }
      return next == 0
    }
    #expect(served ?? 0 > 10)
  }

  @Test func `busy clients come last, and an element that isn't wanted stays`() {
    var queue = FairQueue<Int>()
    queue.add(1, of: 1)
    queue.add(2, of: 2)
    queue.charge(50, to: 2)
    #expect(queue.next(after: [1], if: { $0 != 2 }) == nil)
    #expect(queue.next(after: [1]) == 2)
    #expect(queue.next(after: [1]) == 1)
    #expect(queue.isEmpty)
  }

  @Test func `an element can be taken whosever turn it is`() {
    var queue = FairQueue<Int>()
    for element in 1...6 { queue.add(element, of: Int64(element % 2)) }
    #expect(queue.remove { $0 == 4 } == 4)
    #expect(queue.remove { $0 == 4 } == nil)
    #expect(queue.count == 5)
    var rest: [Int] = []
    while let element = queue.next() { rest.append(element) }
    #expect(rest.filter { $0 % 2 == 0 } == [2, 6])
    #expect(rest.filter { $0 % 2 == 1 } == [1, 3, 5])
  }

  /// While all want more, nobody gets ahead of another by more than one element's cost.
  @Test(arguments: seeds(20))
  func `clients that always wait get the same`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = FairQueue<Int64>()
    let clients = Int64.random(in: 2...9, using: &random)
    var used: [Int64: UInt64] = [:]
    let most: UInt64 = 50
    for client in 0..<clients {
      for _ in 0..<3 { queue.add(client, of: client) }
    }
    var steps = 0
    for step in 0..<2000 {
      steps += 1
      guard let client = queue.next() else { break }
      let cost = UInt64.random(in: 1...most, using: &random)
      queue.charge(cost, to: client)
      used[client, default: 0] += cost
      queue.add(client, of: client)
      let (least, greatest) = (used.values.min() ?? 0, used.values.max() ?? 0)
      guard step > clients * 3 else { continue }
      #expect(used.count == clients && greatest - least <= 2 * most, "seed \(seed), step \(step)")
    }
    #expect(steps == 2000, "nobody waits; seed \(seed)")
  }
}
