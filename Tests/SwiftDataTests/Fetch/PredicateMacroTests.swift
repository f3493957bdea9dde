import SwiftData
import Testing

/// What the closure of `#Predicate` may be, by what it says of one voyage.
@Suite struct PredicateMacroTests {
  private let voyage: Voyage
  private let skipper = Skipper(name: "Ada", nickname: "Captain")
  private let names = ["Oslo", "Bergen"]
  private let floor = 2
  private let nothing: String? = nil

  init() {
    voyage = Voyage(name: "Oslo", days: 4, note: "By the Sea")
    voyage.captain = skipper
    voyage.stops = [Halt(city: "Voss", nights: 2), Halt(city: "Flåm", nights: 5)]
    voyage.rating = 4
  }

  private func holds(_ predicate: Predicate<Voyage>) throws -> Bool {
    try predicate.evaluate(voyage)
  }

  @Test func `operators compare and compute`() throws {
    let floor = floor
    #expect(try holds(#Predicate { $0.name == "Oslo" }))
    #expect(try holds(#Predicate { $0.name != "Rome" && !($0.days < floor) }))
    #expect(try holds(#Predicate { ($0.days + 2) * 3 - 1 == 17 }))
    #expect(try holds(#Predicate { $0.days / 3 == 1 && $0.days % 3 == 1 && -$0.days < 0 }))
    #expect(try holds(#Predicate { $0.price / 2 < 1 && $0.price * 2 >= 3 }))
    #expect(try holds(#Predicate { abs($0.days - 10) == 6 }))
    #expect(try holds(#Predicate { Double($0.days) > $0.price }))
    #expect(try holds(#Predicate { Int($0.price) == 1 }))
    #expect(try holds(#Predicate { max($0.days, 2, floor) == 4 }))
    #expect(try holds(#Predicate { (floor...9).contains($0.days) && 1..<5 ~= $0.days }))
    #expect(try holds(#Predicate { $0.days.isMultiple(of: 2) }))
    #expect(try !holds(#Predicate { $0.isDone }))
    #expect(try holds(#Predicate { $0.isDone ? $0.days > 9 : $0.days > 3 }))
    #expect(try holds(#Predicate { _ in true }))
  }

  @Test func `optionals are unwrapped, chained, and compared`() throws {
    let (nothing, floor) = (nothing, floor)
    #expect(try holds(#Predicate { $0.note != nil && nil != $0.note }))
    #expect(try holds(#Predicate { $0.note?.contains("Sea") ?? false }))
    #expect(try holds(#Predicate { $0.note?.contains("Sea") == true }))
    #expect(try holds(#Predicate { $0.note! == "By the Sea" }))
    #expect(try holds(#Predicate { $0.note != nothing }))
    #expect(try holds(#Predicate { $0.captain?.name == "Ada" }))
    #expect(try holds(#Predicate { $0.captain?.nickname?.count == 7 }))
    #expect(try holds(#Predicate { $0.captain?.nickname?.hasPrefix("Cap") ?? false }))
    #expect(try holds(#Predicate { $0.captain.flatMap { $0.nickname } == "Captain" }))
    #expect(try holds(#Predicate { (it: Voyage) in it.rating == it.days && it.days == it.rating }))
    #expect(try holds(#Predicate { ($0.rating ?? 0) > floor }))
    #expect(try holds(#Predicate { ($0.captain?.nickname ?? $0.note) == "Captain" }))
    #expect(
      try holds(
        #Predicate {
          if let captain = $0.captain, captain.age > 20 { captain.name == "Ada" } else { false }
        }
      )
    )
    #expect(try holds(#Predicate { nothing == nil || $0.name == nothing! }))
  }

  @Test func `text is tested and changed`() throws {
    let (prefix, voyages) = ("Os", ["Oslo", "Rome"])
    #expect(try holds(#Predicate { $0.name.hasPrefix(prefix) && $0.name.hasSuffix("lo") }))
    #expect(try holds(#Predicate { $0.name.starts(with: "Os") }))
    #expect(try holds(#Predicate { $0.name.lowercased() == "oslo" }))
    #expect(try holds(#Predicate { $0.name.uppercased().contains("SL") }))
    #expect(try holds(#Predicate { $0.name.localizedStandardContains("ÔSL") }))
    #expect(try holds(#Predicate { $0.note?.localizedStandardContains("SEA") == true }))
    #expect(try holds(#Predicate { $0.name.localizedCaseInsensitiveContains("SLO") }))
    #expect(try holds(#Predicate { $0.name.contains("") }))
    #expect(try !holds(#Predicate { $0.name.localizedStandardContains("") }))
    let nothing = ""
    #expect(try !holds(#Predicate { $0.name.localizedCaseInsensitiveContains(nothing) }))
    #expect(try holds(#Predicate { $0.name.caseInsensitiveCompare("OSLO") == .orderedSame }))
    #expect(try holds(#Predicate { $0.name.localizedCompare("Rome") == .orderedAscending }))
    #expect(try holds(#Predicate { $0.name.localizedStandardCompare("a") != .orderedAscending }))
    #expect(try holds(#Predicate { (it: Voyage) in it.name.first == "O" && it.name.last == "o" }))
    #expect(try holds(#Predicate { "\($0.name)-\($0.days)" == "Oslo-4" }))
    #expect(try holds(#Predicate { $0.name + "!" == "\(prefix)lo!" }))
    #expect(try holds(#Predicate { voyages.contains($0.name) }))
    #expect(try holds(#Predicate { $0.name.contains(/s.o/) && !$0.name.isEmpty }))
  }

  @Test func `collections are searched and counted`() throws {
    let skipper = skipper
    let (skippers, limit) = ([skipper], 3)
    #expect(try holds(#Predicate { $0.stops.contains { $0.city == "Voss" && $0.nights < limit } }))
    #expect(try holds(#Predicate { $0.stops.contains(where: { stop in stop.nights > limit }) }))
    #expect(try holds(#Predicate { !$0.stops.contains(where: \.isOptional) }))
    #expect(try holds(#Predicate { $0.stops.allSatisfy { $0.nights > 1 } }))
    #expect(try holds(#Predicate { $0.stops.filter { $0.nights > 2 }.count == 1 }))
    #expect(try holds(#Predicate { $0.stops.count == 2 && !$0.stops.isEmpty }))
    #expect(try holds(#Predicate { $0.stops.map { $0.nights }.max() == 5 }))
    #expect(
      try holds(#Predicate { (it: Voyage) in it.stops.first { $0.nights > 2 }?.city == "Flåm" })
    )
    #expect(try holds(#Predicate { $0.stops.first?.city == "Voss" && $0.stops[1].nights == 5 }))
    #expect(try holds(#Predicate { $0.captain == skipper }))
    #expect(try holds(#Predicate { $0.captain.map { skippers.contains($0) } ?? false }))
    #expect(try holds(#Predicate { ["Oslo", $0.note ?? ""].contains($0.name) }))
  }

  @Test func `an enumeration is compared with its cases`() throws {
    #expect(try holds(#Predicate { $0.mood == .rough }))
    #expect(try holds(#Predicate { $0.mood != Mood.calm }))
    #expect(try holds(#Predicate { $0.mood.rawValue == "rough" }))
    #expect(
      try holds(
        #Predicate {
          switch $0.mood {
          case .calm: false
          case .rough: $0.days > 3
          }
        }
      )
    )
  }

  @Test func `several statements lead to a result`() throws {
    let calendar = Calendar(identifier: .gregorian)
    let predicate = #Predicate<Voyage> { voyage in
      let end = Date(timeIntervalSinceReferenceDate: 86_400)
      let next = calendar.date(byAdding: .day, value: 1, to: end) ?? end
      let isShort = voyage.days < 5
      guard let captain = voyage.captain else { return false }
      if voyage.isDone { return false }
      if isShort && voyage.start < next {
        let name = captain.name
        return name == "Ada"
      } else if voyage.days > 9 {
        return true
      }
      switch voyage.days {
      case 1, 2: return true
      case 5...7: return false
      case let days where days > 100: return true
      default: return false
      }
    }
    #expect(try holds(predicate))
    voyage.isDone = true
    #expect(try !holds(predicate))
    voyage.isDone = false
    voyage.days = 200
    #expect(try holds(predicate))
  }

  @Test func `patterns unwrap and cast`() throws {
    let predicate = #Predicate<Voyage> {
      switch $0.rating {
      case nil: false
      case 1?: false
      case let rating? where rating > 3: true
      case .some(let rating): rating == 2
      }
    }
    #expect(try holds(predicate))
    voyage.rating = nil
    #expect(try !holds(predicate))
    voyage.rating = 2
    #expect(try holds(predicate))
  }

  @Test func `predicates and expressions are nested`() throws {
    let short = #Predicate<Voyage> { $0.days < 5 }
    let old = #Predicate<Skipper> { $0.age > 20 }
    let nights = #Expression<Voyage, Int> { $0.stops.count * 2 }
    #expect(try holds(#Predicate { short.evaluate($0) && !$0.isDone }))
    #expect(try holds(#Predicate { $0.captain.flatMap { old.evaluate($0) } ?? false }))
    #expect(try holds(#Predicate { nights.evaluate($0) == 4 }))
  }

  @Test func `a predicate may be about several values`() throws {
    let predicate = #Predicate<Voyage, Int> { $0.days > $1 }
    #expect(try predicate.evaluate(voyage, 3))
    #expect(try !predicate.evaluate(voyage, 4))
    let expression = #Expression<Voyage, Int, Int> { voyage, factor in voyage.days * factor }
    #expect(try expression.evaluate(voyage, 2) == 8)
  }

  @Test func `many clauses of many kinds are one predicate`() throws {
    let (floor, names) = (floor, names)
    let predicate = #Predicate<Voyage> { (voyage: Voyage) in
      voyage.name == "Oslo" && voyage.days > floor && voyage.days + 1 < 10
        && (voyage.note?.contains("Sea") ?? false)
        && !voyage.isDone && voyage.price * 1.5 + 1 <= 7.5 && voyage.captain?.name == "Ada"
        && voyage.stops.contains { $0.city == "Voss" } && names.contains(voyage.name)
        && (voyage.rating ?? 0) > 3 && voyage.stops.filter { $0.nights > 1 }.count == 2
        && voyage.name.hasPrefix("O") && voyage.name.lowercased() != "rome"
        && (voyage.days - 1) % 2 == 1
        && voyage.name.localizedStandardContains("slo") && voyage.mood == .rough
        && (1...9).contains(voyage.days)
        && (voyage.isDone || voyage.days == 4 || voyage.name == "x")
        && voyage.captain?.nickname?.count == 7 && voyage.stops.allSatisfy { $0.nights > 0 }
        && voyage.price / 2 < 5 && -voyage.days < 0 && voyage.note != nil && voyage.rating == 4
    }
    #expect(try holds(predicate))
  }
}
