import TestSupport
import Testing

@testable import SwiftData

/// Fetches of what is saved, which the store answers, agree with those of what isn't, which are
/// answered in memory.
@Suite struct FetchAgreementTests {
  @Test(arguments: seeds(12))
  func `the store and the memory find the same in the same order`(seed: UInt64) throws {
    var random = Chance(seed: seed)
    let container = try Self.container()
    let context = ModelContext(container)
    for voyage in Self.voyages(&random) { context.insert(voyage) }
    var asked: [FetchDescriptor<Voyage>] = []
    for _ in 0..<25 {
      asked.append(
        FetchDescriptor(predicate: Self.predicate(&random, depth: 3), sortBy: Self.order(&random))
      )
    }
    let inMemory = try asked.map { try context.fetch($0).map(\.name) }
    try context.save()
    let other = ModelContext(container)
    for (descriptor, names) in zip(asked, inMemory) {
      let stored = try other.fetch(descriptor).map(\.name)
      #expect(stored == names, "\(String(describing: descriptor.predicate))")
    }
  }

  @Test func `each clause says the same to the store, in memory, and by itself`() throws {
    var random = Chance(seed: 99)
    let container = try Self.container()
    let context = ModelContext(container)
    let voyages = Self.voyages(&random)
    for voyage in voyages { context.insert(voyage) }
    try context.save()
    let other = ModelContext(container)
    var telling = 0
    for predicate in Self.clauses {
      let descriptor = FetchDescriptor(
        predicate: predicate,
        sortBy: [SortDescriptor(\Voyage.name, comparator: .lexical)]
      )
      let expected = try voyages.filter { try predicate.evaluate($0) }.map(\.name).sorted()
      #expect(try other.fetch(descriptor).map(\.name) == expected, "\(predicate)")
      let filter = try PendingFilter(descriptor)
      let inMemory = try voyages.filter { try filter.matches($0) }.map(\.name).sorted()
      #expect(inMemory == expected, "\(predicate)")
      if !expected.isEmpty, expected.count < voyages.count { telling += 1 }
    }
    #expect(telling > 30, "Hardly any clause tells voyages apart.")
  }

  @Test func `what the store doesn't understand is found out in memory`() throws {
    var random = Chance(seed: 5)
    let container = try Self.container()
    let context = ModelContext(container)
    for voyage in Self.voyages(&random) { context.insert(voyage) }
    try context.save()
    let other = ModelContext(container)
    let partly = #Predicate<Voyage> { $0.days > 2 && $0.nameLength > 1 }
    let filter = try PendingFilter(FetchDescriptor(predicate: partly))
    #expect(!filter.isExact)
    #expect(filter.expression == (try ModelQuery.expression(#Predicate<Voyage> { $0.days > 2 })))
    let all = try other.fetch(FetchDescriptor<Voyage>())
    let expected = all.filter { $0.days > 2 && $0.name.count > 1 }
    #expect(try other.fetch(FetchDescriptor(predicate: partly)) == expected)
    let not = #Predicate<Voyage> { $0.nameLength > 1 }
    #expect(try other.fetch(FetchDescriptor(predicate: not)) == all.filter { $0.name.count > 1 })
  }

  @Test func `an order through something that is missing is the store's beside pending objects`()
    throws
  {
    let context = ModelContext(try Self.container())
    let orders: [SortDescriptor<Halt>] = [
      SortDescriptor(\.voyage!.captain!.name), SortDescriptor(\.voyage?.captain?.name),
      SortDescriptor(\.voyage!.name), SortDescriptor(\.voyage!.captain!.nickname!),
      SortDescriptor(\.voyage!.rating!), SortDescriptor(\.voyage!.office!.city),
      SortDescriptor(\.voyage!.home.city),
    ]
    for number in 0..<4 {
      let halt = Halt(city: "\(number)")
      context.insert(halt)
      if number > 0 { halt.voyage = Voyage(name: "V\(number)") }
      if number > 1 { halt.voyage?.captain = Skipper(name: "S", nickname: "N\(number)") }
      if number > 2 { halt.voyage?.rating = 3 }
    }
    // What isn't saved, what is saved beside one change, and what is saved.
    for round in 0..<3 {
      for order in orders {
        let found = try context.fetch(FetchDescriptor(sortBy: [order])).map(\.city)
        #expect(found == ["0", "1", "2", "3"], "\(order), round \(round)")
      }
      try context.save()
      if round == 0 { try #require(context.fetch(FetchDescriptor<Halt>()).last).nights = 9 }
    }
  }

  @Test func `sections by something that is missing are an error, saved or not`() throws {
    let context = ModelContext(try Self.container())
    let halt = Halt(city: "Voss")
    context.insert(halt)
    context.insert(Halt(city: "Oslo"))
    halt.voyage = Voyage(name: "V")
    halt.voyage?.captain = Skipper(name: "Ada")
    let paths: [any KeyPath<Halt, String> & Sendable] = [
      \.voyage!.name, \.voyage!.captain!.name, \.voyage!.home.city,
    ]
    for _ in 0..<2 {
      for path in paths {
        let error = #expect(throws: SwiftDataError.unsupportedKeyPath) {
          try context.fetchSections(FetchDescriptor<Halt>(), by: path)
        }
        #expect(error?.entity == "Halt" && error?.message.contains("has no voyage.") == true)
        let wanted = FetchDescriptor<Halt>(predicate: #Predicate { $0.voyage != nil })
        #expect(try context.fetchSections(wanted, by: path).map(\.models.count) == [1])
      }
      #expect(throws: SwiftDataError.unsupportedKeyPath) {
        try context.fetchSections(FetchDescriptor<Voyage>(), by: \.office!.city)
      }
      #expect(try context.fetchSections(FetchDescriptor<Halt>(), by: \.city).count == 2)
      try context.save()
    }
  }

  // MARK: - Chance

  private static func container() throws -> ModelContainer {
    try ModelContainer(storing: Voyage.self, Skipper.self, Halt.self)
  }

  private static func voyages(_ random: inout Chance) -> [Voyage] {
    let skippers = ["Ada", "Éva", "bo"].map {
      Skipper(name: $0, nickname: $0 == "bo" ? nil : "N\($0)")
    }
    return (0..<30).map { number in
      let name = random.pick(["Oslo", "oslo", "Rome", "Ålesund", "a10", "a9", "A9"]) + "#\(number)"
      let voyage = Voyage(name: name, days: random.number(6))
      voyage.note = random.pick([nil, "By the Sea", "sea", "Château", ""])
      voyage.price = random.pick([0, 1.5, -2, 7.25])
      voyage.isDone = random.number(2) == 0
      voyage.rating = random.pick([nil, 0, 3, 4])
      voyage.mood = random.pick([.calm, .rough])
      voyage.rank = random.pick([.low, .high])
      voyage.home = Berth(city: random.pick(["Bergen", "Voss"]), isNear: random.number(2) == 0)
      voyage.home.marks = random.pick([nil, [], ["m"]])
      voyage.office = random.pick([nil, Berth(city: "Voss", isNear: true, marks: ["m"])])
      voyage.tags = random.pick([[], ["x"], ["x", "y"]])
      voyage.labels = random.pick([nil, [], ["x"], ["y", "x"]])
      voyage.captain = random.pick([nil] + skippers.map { $0 })
      voyage.guests = random.pick([nil, [], [skippers[0]], skippers])
      voyage.stops = (0..<random.number(4)).map { _ in
        Halt(city: random.pick(["Voss", "Flåm"]), nights: random.number(4))
      }
      return voyage
    }
  }

  private static func predicate(_ random: inout Chance, depth: Int) -> Predicate<Voyage> {
    switch depth == 0 ? 0 : random.number(5) {
    case 1: Predicate(all: (0..<2).map { _ in predicate(&random, depth: depth - 1) })
    case 2: Predicate(any: (0..<2).map { _ in predicate(&random, depth: depth - 1) })
    case 3:
      {
        let inner = predicate(&random, depth: depth - 1)
        return #Predicate<Voyage> { !inner.evaluate($0) }
      }()
    default: random.pick(clauses)
    }
  }

  private static func order(_ random: inout Chance) -> [SortDescriptor<Voyage>] {
    let order: SortOrder = random.pick([.forward, .reverse])
    let keys: [SortDescriptor<Voyage>] = [
      SortDescriptor(\.days, order: order),
      SortDescriptor(\.name, comparator: .lexical, order: order),
      SortDescriptor(\.name, comparator: .localizedStandard, order: order),
      SortDescriptor(\.note, comparator: .localizedStandard, order: order),
      SortDescriptor(\.isDone, order: order),
      SortDescriptor(\.rating, order: order),
      SortDescriptor(\.price, order: order),
      SortDescriptor(\.rank, order: order),
      SortDescriptor(\.captain?.name, order: order),
      SortDescriptor(\.home.city, order: order),
      SortDescriptor(\.note!, order: order),
      SortDescriptor(\.rating!, order: order),
      SortDescriptor(\.captain!.name, order: order),
      SortDescriptor(\.captain!.nickname, order: order),
      SortDescriptor(\.captain!.nickname!, order: order),
      SortDescriptor(\.captain?.age, order: order),
      SortDescriptor(\.captain!.age, order: order),
      SortDescriptor(\.office?.city, order: order),
      SortDescriptor(\.office!.city, order: order),
    ]
    return (0..<random.number(3)).map { _ in random.pick(keys) }
  }

  /// Collections that may be missing, and what else the service doesn't know of collections.
  private static let coalesced: [Predicate<Voyage>] = {
    let (labels, none, ada) = (["x"], [String](), "Ada")
    return [
      #Predicate { ($0.labels ?? []).contains("y") },
      #Predicate { ($0.labels ?? []).isEmpty },
      #Predicate { ($0.labels ?? []).count == 2 },
      #Predicate { ($0.labels ?? []).first == "x" },
      #Predicate { ($0.labels ?? []).allSatisfy { $0 == "x" } },
      #Predicate { ($0.labels ?? []).contains { $0 > "x" } },
      #Predicate { ($0.labels ?? []).filter { $0 == "x" }.count == 1 },
      #Predicate { ($0.labels ?? []) == labels },
      #Predicate { ($0.labels ?? []) == none },
      #Predicate { ($0.labels ?? []) != labels },
      #Predicate { ($0.labels ?? labels).contains("x") },
      #Predicate { (it: Voyage) in (it.labels ?? it.tags).contains("y") },
      #Predicate { (it: Voyage) in (it.labels ?? []).count < it.tags.count },
      #Predicate { !($0.labels ?? []).contains("x") && $0.days > 1 },
      #Predicate { $0.labels == nil },
      #Predicate { $0.labels?.isEmpty ?? true },
      #Predicate { $0.labels?.contains("x") == true },
      #Predicate { $0.tags == labels },
      #Predicate { ($0.isDone ? $0.tags : []).contains("x") },
      #Predicate { ($0.guests ?? []).contains { $0.name == ada } },
      #Predicate { ($0.guests ?? []).isEmpty },
      #Predicate { ($0.guests ?? []).count > 1 },
      #Predicate { ($0.guests ?? []).allSatisfy { $0.nickname != nil } },
      #Predicate { $0.guests?.isEmpty == false },
      #Predicate { ($0.home.marks ?? []).contains("m") },
      #Predicate { ($0.home.marks ?? []).isEmpty },
      #Predicate { ($0.office?.marks ?? []).count == 1 },
      #Predicate { ($0.note ?? "").isEmpty },
      #Predicate { ($0.captain?.nickname ?? "").contains("A") },
    ]
  }()

  private static let clauses: [Predicate<Voyage>] = {
    let (three, names, calm) = (3, ["Oslo#1", "Rome#2"], Mood.calm)
    return coalesced + [
      #Predicate { $0.days > three },
      #Predicate { $0.days * 2 - 1 < 5 },
      #Predicate { $0.days % 2 == 1 },
      #Predicate { $0.price / 2 >= 0.75 },
      #Predicate { abs($0.price) > 1.75 },
      #Predicate { (1..<4).contains($0.days) },
      #Predicate { $0.isDone },
      #Predicate { $0.rating == nil },
      #Predicate { ($0.rating ?? 0) >= 3 },
      #Predicate { (it: Voyage) in it.rating == it.days },
      #Predicate { $0.name.contains("s") },
      #Predicate { $0.name.hasPrefix("O") || $0.name.hasSuffix("1") },
      #Predicate { $0.name.lowercased() == "oslo#1" },
      #Predicate { $0.name.localizedStandardContains("alesund") },
      #Predicate { $0.name.localizedCompare("b") == .orderedAscending },
      #Predicate { $0.name.caseInsensitiveCompare("OSLO#1") != .orderedSame },
      #Predicate { names.contains($0.name) },
      #Predicate { $0.note?.localizedStandardContains("SEA") ?? false },
      #Predicate { $0.note?.isEmpty == true },
      #Predicate { $0.mood == calm },
      #Predicate { $0.rank >= .high },
      #Predicate { $0.home.city == "Voss" && $0.home.isNear },
      #Predicate { $0.office?.city == "Voss" },
      #Predicate { $0.office != nil },
      #Predicate { $0.tags.contains("y") },
      #Predicate { $0.tags.isEmpty },
      #Predicate { $0.captain?.name == "Ada" },
      #Predicate { $0.captain?.nickname != nil },
      #Predicate { $0.captain == nil },
      #Predicate { $0.stops.contains { $0.city == "Voss" && $0.nights > 1 } },
      #Predicate { $0.stops.allSatisfy { $0.nights > 0 } },
      #Predicate { $0.stops.filter { $0.nights > 1 }.count >= 2 },
      #Predicate { $0.stops.isEmpty },
      #Predicate { ($0.stops.map(\.nights).max() ?? 0) == 3 },
      #Predicate {
        if let captain = $0.captain { captain.name > "B" } else { false }
      },
      #Predicate {
        switch $0.days {
        case 0: true
        case 1...2: $0.isDone
        default: false
        }
      },
    ]
  }()
}

extension Voyage {
  fileprivate var nameLength: Int { name.count }
}

/// Numbers that only look random.
private struct Chance {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1 }

  mutating func number(_ limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(limit))
  }

  mutating func pick<T>(_ choices: [T]) -> T { choices[number(choices.count)] }
}
