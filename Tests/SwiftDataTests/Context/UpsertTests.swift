import TestSupport
import Testing

@testable import SwiftData

@Model final class Slip {
  var name: String
  @Relationship(inverse: \Skiff.slip) var skiffs: [Skiff] = []
  init(name: String) { self.name = name }
}

@Model final class Skiff {
  @Attribute(.unique) var name: String
  var length: Double
  var slip: Slip?
  @Relationship(inverse: \Sail.skiffs) var sails: [Sail] = []
  init(name: String, length: Double = 3, slip: Slip? = nil) {
    self.name = name
    self.length = length
    self.slip = slip
  }
}

@Model final class Sail {
  var name: String
  var skiffs: [Skiff] = []
  init(name: String) { self.name = name }
}

/// A class that leads to skiffs, which don't lead back.
@Model final class Rower {
  var name: String
  var favourite: Skiff?
  init(name: String) { self.name = name }
}

@Suite struct `An object that takes over the row of another one` {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(storing: Slip.self, Rower.self)
    context = ModelContext(container)
  }

  /// What lists of the store lead to.
  private func stored() throws -> [String: [String]] {
    let context = ModelContext(container)
    let slips = try context.fetch(FetchDescriptor<Slip>())
    return Dictionary(uniqueKeysWithValues: slips.map { ($0.name, $0.skiffs.map(\.name)) })
  }

  @Test func `is once in a list that has both`() throws {
    let slip = Slip(name: "A")
    context.insert(slip)
    slip.skiffs = [Skiff(name: "Ida"), Skiff(name: "Ida")]
    try context.save()
    #expect(slip.skiffs.count == 1)
    #expect(slip.skiffs.first?.modelContext === context)
    #expect(try stored() == ["A": ["Ida"]])
  }

  @Test func `leaves the list of the other one, and its observers are told`() throws {
    let (slip, old) = (Slip(name: "A"), Skiff(name: "Ida"))
    context.insert(slip)
    slip.skiffs = [old]
    try context.save()
    // because observers are told on the thread of the context, which is this one
    nonisolated(unsafe) var isTold = false
    withObservationTracking {
      _ = slip.skiffs.count
    } onChange: {
      isTold = true
    }
    context.insert(Skiff(name: "Ida"))
    try context.save()
    #expect(isTold)
    #expect(slip.skiffs.isEmpty)
    #expect(old.modelContext == nil)
    #expect(try stored() == ["A": []])
  }

  @Test func `is in its own list only`() throws {
    let (first, second) = (Slip(name: "A"), Slip(name: "B"))
    context.insert(first)
    first.skiffs = [Skiff(name: "Ida"), Skiff(name: "Una")]
    try context.save()
    let new = Skiff(name: "Ida", slip: second)
    context.insert(new)
    try context.save()
    #expect(first.skiffs.map(\.name) == ["Una"])
    #expect(second.skiffs.count == 1)
    #expect(second.skiffs.first === new)
    #expect(try stored() == ["A": ["Una"], "B": ["Ida"]])
  }

  @Test func `is what others lead to that don't know of it`() throws {
    let rower = Rower(name: "Tom")
    rower.favourite = Skiff(name: "Ida")
    context.insert(rower)
    try context.save()
    let new = Skiff(name: "Ida", length: 5)
    context.insert(new)
    try context.save()
    #expect(rower.favourite === new)
    #expect(!context.hasChanges)
  }

  @Test func `leads to what leads to the row`() throws {
    let elsewhere = ModelContext(container)
    let old = Skiff(name: "Ida")
    elsewhere.insert(old)
    old.sails = [Sail(name: "main")]
    try elsewhere.save()
    let new = Skiff(name: "Ida")
    context.insert(new)
    new.sails = [Sail(name: "jib")]
    try context.save()
    let reader = ModelContext(container)
    let stored = try #require(try reader.fetch(FetchDescriptor<Skiff>()).first)
    #expect(stored.sails.contains { $0.name == "main" })
    #expect(new.sails.map(\.name).sorted() == stored.sails.map(\.name).sorted())
    #expect(!context.hasChanges)
  }

  @Test func `has the edits that were pending on the other one`() throws {
    let old = Skiff(name: "Ida")
    context.insert(old)
    try context.save()
    old.length = 9
    let new = Skiff(name: "Ida", length: 5)
    context.insert(new)
    try context.save()
    #expect(try new.length == ModelContext(container).fetch(FetchDescriptor<Skiff>())[0].length)
    #expect(!context.hasChanges)
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8])
  func `leaves objects and store equal after random inserts`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let slips = (0..<3).map { Slip(name: "B\($0)") }
    for slip in slips { context.insert(slip) }
    for _ in 0..<12 {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let skiff = Skiff(name: "S\(Int.random(in: 0..<5, using: &random))")
        if Bool.random(using: &random) {
          skiff.slip = slips[Int.random(in: 0..<3, using: &random)]
        }
        context.insert(skiff)
      }
      try context.save()
      let here = Dictionary(
        uniqueKeysWithValues: slips.map { ($0.name, $0.skiffs.map(\.name).sorted()) }
      )
      #expect(try here == stored().mapValues { $0.sorted() })
      #expect(slips.allSatisfy { slip in slip.skiffs.allSatisfy { $0.slip === slip } })
    }
  }
}
