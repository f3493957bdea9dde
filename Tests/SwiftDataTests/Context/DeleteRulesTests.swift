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
