import Testing

@testable import SwiftData

@Suite struct `Delete rules` {
  private let fixture: ContextFixture
  private var context: ModelContext { fixture.context }

  init() throws { fixture = try ContextFixture() }

  private func haven() throws -> (Haven, ships: [Ship]) {
    let haven = Haven(name: "Oslo")
    let ships = ["Fram", "Gjøa"].map { Ship(name: $0, haven: haven) }
    context.insert(haven)
    try context.save()
    return (haven, ships)
  }

  @Test func `are applied once to what was deleted since`() throws {
    let (haven, ships) = try haven()
    context.delete(haven)
    #expect(context.pending.hasUndecided)
    #expect(context.pending.deleted.count == 1)
    DeleteRules(context).apply()
    #expect(context.pending.deleted.count == 1 + ships.count)
    #expect(!context.pending.hasUndecided)
    DeleteRules(context).apply()
    #expect(context.pending.deleted.count == 1 + ships.count)
  }

  @Test func `cascade to what is still in the list, in a context that doesn't merge`() throws {
    let (haven, ships) = try haven()
    context.automaticallyMergesChanges = false
    let other = fixture.other
    let elsewhere = Haven(name: "Bergen")
    other.insert(elsewhere)
    let moved = try #require(try other.saved(Ship.self).first { $0.name == "Fram" })
    moved.haven = elsewhere
    try other.save()
    #expect(haven.ships.count == 2)
    context.delete(haven)
    try context.save()
    #expect(ships[1].modelContext == nil)
    let stored = try fixture.other.saved(Ship.self)
    #expect(stored.map { "\($0.name) \($0.haven?.name ?? "-")" } == ["Fram Bergen"])
    #expect(ships[0].haven?.name == "Bergen")
  }

  @Test func `deny a deletion as long as the list has objects that stay`() throws {
    let (haven, _) = try haven()
    let jetty = Jetty(name: "A", haven: haven)
    context.insert(jetty)
    context.delete(haven)
    let rules = DeleteRules(context)
    rules.apply()
    #expect(rules.denial()?.property == "jetties")
    context.delete(jetty)
    rules.apply()
    #expect(rules.denial() == nil)
  }
}
