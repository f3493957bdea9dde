import Testing

@testable import SwiftData

/// Values that the store doesn't have, or has in a form that it can't compare.
@Suite struct `Values that mean nothing to the store` {
  private let container: ModelContainer
  private let context: ModelContext
  private let bytes = Data([1, 2])
  /// The objects of the context, which has values of theirs that aren't stored.
  private var rebuses: [Rebus] = []

  /// Saves three objects.
  init() throws {
    container = try ModelContainer(storing: Rebus.self)
    context = ModelContext(container)
    for number in 0..<3 {
      let rebus = Rebus(number: number, title: ["b", "keep", "a"][number])
      rebus.subtitle = number == 0 ? nil : "s\(number)"
      rebus.bytes = Data([UInt8(number), 2])
      rebus.length = [9, 10, 100][number]
      rebus.size = [9, 10, 100][number]
      rebus.mood = number + 5
      context.insert(rebus)
      rebuses.append(rebus)
    }
    try context.save()
  }

  private func numbers(_ predicate: Predicate<Rebus>, _ context: ModelContext) throws -> [Int] {
    try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number).sorted()
  }

  @Test(arguments: [false, true])
  func `are compared in memory`(isChanged: Bool) throws {
    let (bytes, titles) = (bytes, ["a", "keep"])
    let reader = ModelContext(container)
    if isChanged { for rebus in try reader.fetch(FetchDescriptor<Rebus>()) { rebus.count = 1 } }
    let cases: [(Predicate<Rebus>, [Int])] = [
      (#Predicate { $0.title == "keep" }, [1]),
      (#Predicate { $0.title != "keep" }, [0, 2]),
      (#Predicate { $0.title > "a" }, [0, 1]),
      (#Predicate { titles.contains($0.title) }, [1, 2]),
      (#Predicate { $0.title.count == 1 }, [0, 2]),
      (#Predicate { $0.title.contains("ee") }, [1]),
      (#Predicate { $0.title.isEmpty }, []),
      (#Predicate { $0.subtitle == "s1" }, [1]),
      (#Predicate { $0.subtitle != "s1" }, [0, 2]),
      (#Predicate { $0.subtitle == nil }, [0]),
      (#Predicate { ($0.subtitle ?? "s1") == "s1" }, [0, 1]),
      (#Predicate { $0.bytes == bytes }, [1]),
      (#Predicate { $0.bytes != bytes }, [0, 2]),
      (#Predicate { $0.length > 9 && $0.number < 2 }, [1]),
      (#Predicate { $0.size < 100 }, [0, 1]),
    ]
    for (index, (predicate, expected)) in cases.enumerated() {
      #expect(try numbers(predicate, reader) == expected, "\(index)")
    }
  }

  @Test func `are deleted in bulk only where they match`() throws {
    try context.delete(model: Rebus.self, where: #Predicate { $0.title != "keep" })
    #expect(try ModelContext(container).fetch(FetchDescriptor<Rebus>()).map(\.title) == ["keep"])
  }

  @Test func `are ordered in memory`() throws {
    func numbers(_ sort: SortDescriptor<Rebus>) throws -> [Int] {
      try context.fetch(FetchDescriptor(sortBy: [sort])).map(\.number)
    }
    #expect(try numbers(SortDescriptor(\.title)) == [2, 0, 1])
    #expect(
      try numbers(SortDescriptor(\.title, comparator: .lexical, order: .reverse)) == [1, 0, 2]
    )
    #expect(try numbers(SortDescriptor(\.subtitle, order: .reverse)) == [2, 1, 0])
    #expect(try numbers(SortDescriptor(\.length)) == [0, 1, 2])
    #expect(try numbers(SortDescriptor(\.size)) == [0, 1, 2])
    #expect(try numbers(SortDescriptor(\.mood, order: .reverse)) == [2, 1, 0])
  }

  @Test func `are compared as their own context has them if they aren't stored`() throws {
    #expect(try numbers(#Predicate { $0.mood == 6 }, context) == [1])
    #expect(try numbers(#Predicate { $0.mood == 1 }, context).isEmpty)
    #expect(try numbers(#Predicate { $0.mood == 1 }, ModelContext(container)) == [0, 1, 2])
  }

  @Test func `are computed with by no store`() throws {
    for keyPath in [\Rebus.length, \Rebus.size, \Rebus.mood] {
      let error = #expect(throws: SwiftDataError.self) { try context.sum(of: keyPath) }
      #expect(error?.kind == .unsupportedKeyPath)
      #expect(throws: SwiftDataError.self) { try context.maximum(of: keyPath) }
      #expect(throws: SwiftDataError.self) { try context.sum(of: keyPath, by: \Rebus.number) }
      #expect(throws: SwiftDataError.self) {
        try context.update(Rebus.self, set: keyPath, adding: 1)
      }
    }
    #expect(throws: SwiftDataError.self) {
      try context.sum(of: #Expression<Rebus, Int> { $0.length + 1 })
    }
    #expect(throws: SwiftDataError.self) {
      try context.update(Rebus.self, set: [.set(\.title, to: #Expression { $0.name })])
    }
    #expect(throws: SwiftDataError.self) {
      try context.update(Rebus.self, set: [.set(\.name, to: #Expression { $0.title })])
    }
    let reader = ModelContext(container)
    #expect(try reader.fetch(FetchDescriptor<Rebus>()).map(\.title) == ["b", "keep", "a"])
  }

  @Test func `are set and copied in bulk`() throws {
    try context.update(Rebus.self, set: \.title, to: "x")
    try context.update(Rebus.self, set: [.set(\.other, to: #Expression { $0.title })])
    let found = try ModelContext(container).fetch(FetchDescriptor<Rebus>())
    #expect(found.map(\.other) == ["x", "x", "x"])
  }

  @Test func `are counted by their values`() throws {
    #expect(try context.count(by: \Rebus.title) == ["b": 1, "keep": 1, "a": 1])
    // Each has other data.
    for rebus in rebuses { rebus.salted = "same" }
    try context.save()
    #expect(try context.count(by: \Rebus.salted) == ["same": 3])
    #expect(try context.sum(of: \Rebus.number, by: \Rebus.salted) == ["same": 3])
  }
}

@Model private final class Rebus {
  var number: Int
  var count = 0
  var name = "n"
  @Attribute(.transformable(by: ShiftingTransformer.self)) var title: String
  @Attribute(.transformable(by: ShiftingTransformer.self)) var other = ""
  @Attribute(.transformable(by: ShiftingTransformer.self)) var subtitle: String?
  @Attribute(.transformable(by: ShiftingTransformer.self)) var bytes = Data()
  @Attribute(.transformable(by: ShiftingTransformer.self)) var length = 0
  @Attribute(.codable) var size = 0
  @Attribute(.transformable(by: SaltingTransformer.self)) var salted = ""
  @Attribute(.ephemeral) var mood = 1

  init(number: Int, title: String) {
    self.number = number
    self.title = title
  }
}

/// Stores texts, data, and numbers as data that is in another order.
final class ShiftingTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    switch value {
    case let text as String: Data([0] + text.utf8.map { ~$0 })
    case let data as Data: Data([1] + data.map { ~$0 })
    case let number as Int: Data([2, UInt8(truncatingIfNeeded: ~number)])
    default: nil
    }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data, let kind = data.first else { return nil }
    let bytes = data.dropFirst().map { ~$0 }
    switch kind {
    case 0: return String(decoding: bytes, as: UTF8.self)
    case 1: return Data(bytes)
    default: return Int(bytes[0])
    }
  }
}

/// Makes different data of a text each time.
final class SaltingTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data(UUID().uuidString.utf8) + Data($0.utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(decoding: $0.dropFirst(36), as: UTF8.self) }
  }
}
