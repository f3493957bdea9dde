import SwiftData
import Testing

/// What the store computes of expressions, and what it says if it can't.
@Suite struct ComputedAggregateTests {
  private let context: ModelContext
  private let voyages: [Voyage]

  init() throws {
    let container = try ModelContainer(storing: Voyage.self, Skipper.self, Halt.self)
    context = ModelContext(container)
    voyages = (0..<20).map { number in
      let voyage = Voyage(name: "V\(number)", days: number % 7)
      voyage.price = Double(number) * 1.25 - 3
      voyage.rating = number % 3 == 0 ? nil : number
      voyage.stops = (0..<(number % 4)).map { Halt(city: "C\($0)", nights: $0 + 1) }
      return voyage
    }
    for voyage in voyages { context.insert(voyage) }
    try context.save()
  }

  @Test func `sums, means, and extremes of expressions are those of their values`() throws {
    let factor = 3
    let integers = [
      #Expression<Voyage, Int> { $0.days * factor - 1 },
      #Expression<Voyage, Int> { $0.rating ?? -5 },
      #Expression<Voyage, Int> { $0.stops.count * 2 + $0.days },
      #Expression<Voyage, Int> { abs($0.days - 4) },
      #Expression<Voyage, Int> { $0.days > 3 ? 1 : 0 },
    ]
    for expression in integers {
      let values = try voyages.map { try expression.evaluate($0) }
      let sum = values.reduce(0, +)
      #expect(try context.sum(of: expression) == sum)
      #expect(try context.average(of: expression) == Double(sum) / Double(values.count))
      #expect(try context.minimum(of: expression) == values.min())
      #expect(try context.maximum(of: expression) == values.max())
    }
    let cost = #Expression<Voyage, Double> { $0.price * 2 + 0.5 }
    let long = #Predicate<Voyage> { $0.days > 3 }
    let values = try voyages.filter { $0.days > 3 }.map { try cost.evaluate($0) }
    #expect(try context.sum(of: cost, where: long) == values.reduce(0, +))
    #expect(try context.minimum(of: cost, where: long) == values.min())
    #expect(try context.maximum(of: cost, where: long) == values.max())
    #expect(try context.maximum(of: cost, where: #Predicate { $0.days > 99 }) == nil)
    #expect(try context.sum(of: cost, where: #Predicate { $0.days > 99 }) == 0)
  }

  @Test func `what the store can't compute is named`() throws {
    let doubled = #Expression<Voyage, Int> { $0.doubledDays }
    let error = try #require(
      throws: SwiftDataError.self,
      performing: { try context.sum(of: doubled) }
    )
    #expect(error == .unsupportedPredicate)
    #expect(error.message.contains("stored property of Voyage"))
    #expect(error.hint?.contains("Computed") == true)
  }

  @Test func `what the store can't find by itself is named`() throws {
    let error = try #require(
      throws: SwiftDataError.self,
      performing: {
        try context.sum(of: \.days, where: #Predicate<Voyage> { $0.days > 1 && $0.doubledDays > 3 })
      }
    )
    #expect(error == .unsupportedPredicate)
    #expect(error.entity == "Voyage")
    #expect(error.message.contains("stored property of Voyage"))
    #expect(error.hint?.contains("Computed") == true)
  }
}

extension Voyage {
  var doubledDays: Int { days * 2 }
}
