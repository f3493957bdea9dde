import Testing

@testable import SwiftData

/// Objects each of which alone keeps the next one alive.
@Suite struct `Long chains of objects` {
  private static let length = 60_000

  @Test func `end one after the other`() throws {
    let container = try ModelContainer(storing: Wagon.self)
    weak var last: Wagon?
    do {
      let context = ModelContext(container)
      var wagons = (0..<Self.length).map(Wagon.init)
      for wagon in wagons { context.insert(wagon) }
      for (wagon, next) in zip(wagons, wagons.dropFirst()) { wagon.next = next }
      try context.save()
      last = wagons.last
      wagons.removeSubrange(1...)
      #expect(last != nil)
    }
    #expect(last == nil)
  }
}

@Model private final class Wagon {
  var number: Int
  var next: Wagon?
  @Relationship(inverse: \Wagon.next) var previous: Wagon?

  init(number: Int) {
    self.number = number
  }
}
