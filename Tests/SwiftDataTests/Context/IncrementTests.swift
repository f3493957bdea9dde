import Foundation
import Testing

@testable import SwiftData

/// Additions that the store makes itself.
@Suite struct `Numbers that several increase` {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(storing: Counter.self)
    context = ModelContext(container)
    for name in ["visits", "errors"] { context.insert(Counter(name: name)) }
    try context.save()
  }

  private func counter(_ name: String) throws -> Counter {
    let named = #Predicate<Counter> { $0.name == name }
    return try #require(ModelContext(container).fetch(FetchDescriptor(predicate: named)).first)
  }

  @Test func `none is lost where two count at once`() throws {
    let container = container
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      let context = ModelContext(container)
      for _ in 0..<100 {
        do {
          let visits = #Predicate<Counter> { $0.name == "visits" }
          try context.update(Counter.self, where: visits, set: \.count, adding: 1)
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(try counter("visits").count == 200)
    #expect(try counter("errors").count == 0)
  }

  @Test func `numbers of every type are added to, and what is missing stays so`() throws {
    let visits = try #require(context.fetch(FetchDescriptor<Counter>()).first)
    visits.most = 7
    try context.save()
    let changed = try context.update(
      Counter.self,
      set: [
        .set(\.count, adding: 5), .set(\.small, adding: -3), .set(\.ratio, adding: 0.5),
        .set(\.price, adding: Decimal(string: "0.10") ?? 0), .set(\.most, adding: 2),
        .set(\.isFull, to: true),
      ]
    )
    #expect(changed == 2)
    let (first, second) = (try counter("visits"), try counter("errors"))
    #expect(first.count == 5 && first.small == -3 && first.ratio == 0.5 && first.isFull)
    #expect(first.price == Decimal(string: "0.1"))
    #expect(first.most == 9 && second.most == nil)
    // The context that asked knows the new values too.
    #expect(visits.count == 5 && visits.most == 9)
  }

  @Test func `a sum that the property can't be is an error, and nothing changes`() throws {
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.update(Counter.self, set: \.small, adding: 127)
      try context.update(Counter.self, set: \.small, adding: 1)
    }
    #expect(try counter("visits").small == 127)
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.update(Counter.self, set: \.count, adding: .max)
      try context.update(Counter.self, set: \.count, adding: 1)
    }
    #expect(try counter("errors").count == .max)
  }

  @Test func `a value is given to all that satisfy a predicate`() throws {
    let count = try context.update(
      Counter.self,
      where: #Predicate { $0.name == "errors" },
      set: \.isFull,
      to: true
    )
    #expect(count == 1)
    #expect(try counter("errors").isFull)
    #expect(try !counter("visits").isFull)
  }

  @Test func `several properties are changed as the page of conflicts writes it`() throws {
    try context.update(
      Counter.self,
      where: #Predicate { $0.name == "visits" },
      set: \.count,
      adding: 1
    )
    try context.update(Counter.self, set: \.count, adding: 1500)
    try context.update(Counter.self, set: \.rounds, to: 3)
    try context.update(
      Counter.self,
      where: #Predicate { $0.count > 1000 },
      set: [
        .set(\.count, adding: -1000), .set(\.rounds, to: #Expression { $0.rounds * 2 + 1 }),
        .set(\.isFull, to: true),
      ]
    )
    #expect(try counter("visits").count == 501)
    #expect(try counter("errors").rounds == 7)
    #expect(try counter("errors").isFull)
  }

  @Model final class Counter {
    var name: String
    var count = 0
    var small: Int8 = 0
    var ratio = 0.0
    var price: Decimal = 0
    var rounds = 0
    var most: Int?
    var isFull = false

    init(name: String) { self.name = name }
  }
}
