import Testing

@testable import SwiftData

@Suite struct `Transactions inside of others` {
  private let fixture: ContextFixture
  private var context: ModelContext { fixture.context }

  private struct Refusal: Error {}

  init() throws { fixture = try ContextFixture() }

  @Test func `store nothing if the outer one throws`() throws {
    #expect(throws: Refusal.self) {
      try context.transaction {
        context.insert(Gadget(name: "outer"))
        try context.transaction { context.insert(Gadget(name: "inner")) }
        throw Refusal()
      }
    }
    #expect(try fixture.other.saved(Gadget.self).isEmpty)
    #expect(!context.hasChanges)
  }

  @Test func `are stored with the outer one`() throws {
    let notices = Notices(of: context)
    try context.transaction {
      context.insert(Gadget(name: "outer"))
      try context.transaction {
        context.insert(Gadget(name: "inner"))
        try context.transaction { context.insert(Gadget(name: "innermost")) }
      }
    }
    #expect(
      Set(try fixture.other.saved(Gadget.self).map(\.name)) == ["outer", "inner", "innermost"]
    )
    #expect(notices.count == 1)
  }

  @Test func `let the outer one fail though it catches their error`() throws {
    #expect(throws: Refusal.self) {
      try context.transaction {
        context.insert(Gadget(name: "outer"))
        try? context.transaction {
          context.insert(Gadget(name: "inner"))
          throw Refusal()
        }
      }
    }
    #expect(try fixture.other.saved(Gadget.self).isEmpty)
    try context.transaction { context.insert(Gadget(name: "next")) }
    #expect(try fixture.other.saved(Gadget.self).map(\.name) == ["next"])
  }
}

/// Contexts that merge nothing by themselves.
@Suite struct `A plain context's fetch` {
  private let fixture: ContextFixture
  private let haven: Haven
  private let plain: ModelContext

  init() throws {
    fixture = try ContextFixture()
    haven = Haven(name: "Oslo")
    haven.ships = [Ship(name: "Ida")]
    fixture.context.insert(haven)
    try fixture.context.save()
    plain = fixture.other
  }

  @Test(arguments: [false, true])
  func `renews lists that were read`(prefetching: Bool) throws {
    var descriptor = FetchDescriptor<Haven>()
    if prefetching { descriptor.relationshipKeyPathsForPrefetching = [\.ships] }
    let held = try #require(plain.fetch(descriptor).first)
    #expect(held.ships.map(\.name) == ["Ida"])
    haven.ships.append(Ship(name: "Una"))
    try fixture.context.save()
    _ = try plain.fetch(descriptor)
    #expect(Set(held.ships.map(\.name)) == ["Ida", "Una"])
    fixture.context.delete(haven.ships[0])
    try fixture.context.save()
    _ = try plain.fetch(descriptor)
    #expect(held.ships.count == 1)
  }

  @Test func `keeps what the program has changed in lists`() throws {
    let held = try #require(plain.fetch(FetchDescriptor<Haven>()).first)
    held.ships.append(Ship(name: "own"))
    haven.ships.append(Ship(name: "Una"))
    try fixture.context.save()
    _ = try plain.fetch(FetchDescriptor<Haven>())
    #expect(held.ships.contains { $0.name == "own" })
    try plain.save()
    #expect(Set(try fixture.other.saved(Ship.self).map(\.name)) == ["Ida", "Una", "own"])
    #expect(try fixture.other.saved(Haven.self).first?.ships.count == 3)
  }
}
