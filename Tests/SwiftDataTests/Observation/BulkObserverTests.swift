import Testing

@testable import SwiftData

/// What observers learn of bulk changes.
@Suite struct `Bulk changes of another class` {
  @Test func `tell nobody who looks at lists`() throws {
    let fixture = try ContextFixture()
    let context = fixture.context
    let haven = Haven(name: "Oslo")
    context.insert(Ship(name: "Ida", haven: haven))
    let gadget = Gadget(name: "Bolt")
    context.insert(gadget)
    try context.save()
    // because observers are told on the thread of the context, which is this one
    nonisolated(unsafe) var told: [String] = []
    withObservationTracking {
      _ = haven.ships.count
    } onChange: {
      told.append("ships")
    }
    withObservationTracking {
      _ = gadget.count
    } onChange: {
      told.append("count")
    }
    try context.update(Gadget.self, set: [.set(\.count, to: 9)])
    #expect(told == ["count"])
    #expect(gadget.count == 9)
    try context.insert(model: Gadget.self, rows: 1) { _, row in row[\.name] = "Nut" }
    #expect(told == ["count"])
    try context.update(Ship.self, set: [.set(\.haven, to: nil)])
    #expect(told == ["count", "ships"])
    #expect(haven.ships.isEmpty)
  }
}
