import Testing

@testable import SwiftData

/// Sets and dictionaries, whose elements have no order though memory has one.
@Suite struct `Sets that have their elements in another order` {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(storing: Basket.self)
    context = ModelContext(container)
  }

  /// Returns a basket, or the same one with everything in another order.
  private func basket(_ isReversed: Bool = false) -> Basket {
    let basket = Basket()
    basket.fill(isReversed)
    return basket
  }

  /// Returns the predicates that a basket's own values satisfy.
  private func predicates(_ other: Basket) -> [(String, Predicate<Basket>)] {
    let (texts, identifiers, numbers, dates) = (
      other.texts, other.identifiers, other.numbers, other.dates
    )
    let (prices, flags, large, links) = (other.prices, other.flags, other.large, other.links)
    let (grades, some, part) = (other.grades, other.some, other.load.texts)
    let (load, nested, byNumber) = (other.load, other.nested, other.byIdentifier)
    let (list, kind, sets) = (other.list, other.kind, [other.texts, []])
    return [
      ("texts", #Predicate { $0.texts == texts }),
      ("identifiers", #Predicate { $0.identifiers == identifiers }),
      ("numbers", #Predicate { $0.numbers == numbers }),
      ("dates", #Predicate { $0.dates == dates }),
      ("prices", #Predicate { $0.prices == prices }),
      ("flags", #Predicate { $0.flags == flags }),
      ("large", #Predicate { $0.large == large }),
      ("links", #Predicate { $0.links == links }),
      ("grades", #Predicate { $0.grades == grades }),
      ("some", #Predicate { $0.some == some }),
      ("part", #Predicate { $0.load.texts == part }),
      ("load", #Predicate { $0.load == load }),
      ("nested", #Predicate { $0.nested == nested }),
      ("byIdentifier", #Predicate { $0.byIdentifier == byNumber }),
      ("list", #Predicate { $0.list == list }),
      ("kind", #Predicate { $0.kind == kind }),
      ("sets", #Predicate { sets.contains($0.texts) }),
      ("set", #Predicate { [texts].contains($0.texts) }),
    ]
  }

  @Test func `are equal to it, saved or not`() throws {
    for _ in 0..<4 {
      let own = basket()
      context.insert(own)
      let other = basket(true)
      own.share(with: other)
      for step in ["inserted", "saved", "changed"] {
        if step == "saved" { try context.save() }
        if step == "changed" { own.number += 1 }
        for (name, predicate) in predicates(other) {
          let wanted = FetchDescriptor(predicate: predicate)
          #expect(try context.fetchCount(wanted) == 1, "\(name) \(step)")
          let opposite = #Predicate<Basket> { !predicate.evaluate($0) }
          #expect(
            try context.fetchCount(FetchDescriptor(predicate: opposite)) == 0,
            "not \(name) \(step)"
          )
        }
      }
      context.delete(own)
      try context.save()
    }
  }

  @Test func `delete nothing in bulk where nothing differs`() throws {
    let own = basket()
    context.insert(own)
    try context.save()
    own.number += 1
    let texts = basket(true).texts
    try context.delete(model: Basket.self, where: #Predicate { $0.texts != texts })
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Basket>()) == 1)
  }

  @Test func `are no changes`() throws {
    for _ in 0..<4 {
      let own = basket()
      context.insert(own)
      try context.save()
      let other = basket(true)
      own.share(with: other)
      try context.save()
      own.fill(true)
      own.identifiers = other.identifiers
      own.byIdentifier = other.byIdentifier
      #expect(!context.hasChanges)
      own.nested.insert([77])
      #expect(context.hasChanges)
      context.rollback()
      own.kind = .named([])
      #expect(context.hasChanges)
      context.rollback()
    }
  }

  /// A comparison of the program's own may ignore what is stored.
  @Test func `hide no change of what equality doesn't see`() throws {
    let own = basket()
    own.opaque = [Labelled(name: "a", marks: ["x", "y"])]
    context.insert(own)
    try context.save()
    own.opaque = [Labelled(name: "a", marks: ["y", "x"])]
    #expect(context.hasChanges)
    try context.save()
    let stored = try ModelContext(container).fetch(FetchDescriptor<Basket>())
    #expect(stored.first?.opaque.first?.marks == ["y", "x"])
  }

  @Test func `make one description of two that are asked for alike`() {
    let (first, second) = (basket().texts, basket(true).texts)
    let left = FetchDescriptor<Basket>(predicate: #Predicate { $0.texts == first })
    let right = FetchDescriptor<Basket>(predicate: #Predicate { $0.texts == second })
    #expect(left == right)
  }
}

@Model private final class Basket {
  var number = 0
  var texts: Set<String> = []
  var identifiers: Set<UUID> = []
  var numbers: Set<Double> = []
  var dates: Set<Date> = []
  var prices: Set<Decimal> = []
  var flags: Set<Bool> = []
  var large: Set<UInt64> = []
  var links: Set<URL> = []
  var grades: Set<Berry> = []
  var some: Set<String>?
  var load = Load()
  var nested: Set<Set<Int>> = []
  var byIdentifier: [UUID: Int] = [:]
  var list: [Set<Int>] = []
  var kind = BasketKind.empty
  @Attribute(.codable) var opaque: Set<Labelled> = []

  init() {}

  func fill(_ isReversed: Bool) {
    let all = Array(0..<6)
    // A set with more room has its elements in another order.
    func set<Element>(_ element: (Int) -> Element) -> Set<Element> {
      var result = Set<Element>(minimumCapacity: isReversed ? 100 : 0)
      for number in isReversed ? all.reversed() : all { result.insert(element(number)) }
      return result
    }
    texts = set { "t\($0)" }
    numbers = set { Double($0) / 10 }
    dates = set { Date(timeIntervalSinceReferenceDate: Double($0) / 10) }
    prices = set { Decimal($0) }
    flags = set { $0 < 3 }
    large = set { UInt64.max - UInt64($0) }
    links = set { URL(filePath: "/\($0)") }
    grades = set { [Berry.blue, .red, .black][$0 % 3] }
    some = texts
    load = Load(texts: texts, names: [1: "a", 2: "b"])
    nested = [set { $0 }, [9]]
    list = [set { $0 }, []]
    kind = .named(texts)
  }

  /// Takes the identifiers of another one, in another order.
  func share(with other: Basket) {
    if other.identifiers.isEmpty {
      identifiers = Set((0..<6).map { _ in UUID() })
      var all = Set<UUID>(minimumCapacity: 100)
      for identifier in identifiers.sorted(by: { $0.uuidString < $1.uuidString }) {
        all.insert(identifier)
      }
      other.identifiers = all
    }
    var (own, others) = ([UUID: Int](), [UUID: Int](minimumCapacity: 100))
    for identifier in identifiers { own[identifier] = 1 }
    for identifier in other.identifiers { others[identifier] = 1 }
    byIdentifier = own
    other.byIdentifier = others
  }
}

private struct Load: Codable, Hashable {
  var texts: Set<String> = []
  var names: [Int: String] = [:]
}

private enum BasketKind: Codable, Hashable {
  case empty
  case named(Set<String>)
}

private enum Berry: Int, Codable { case blue, red, black }

/// A value that is equal to others of its name.
private struct Labelled: Codable, Hashable {
  var name: String
  var marks: [String]

  static func == (left: Labelled, right: Labelled) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
