import Testing

@testable import SwiftData

@Suite struct `Objects that no context has` {
  private let fixture: ContextFixture
  private var context: ModelContext { fixture.context }

  init() throws { fixture = try ContextFixture() }

  @Test func `they are there as long as the program has one that leads to them`() throws {
    func ship() -> Ship { Ship(name: "Ida", haven: Haven(name: "Oslo")) }
    let ship = ship()
    #expect(ship.haven?.name == "Oslo")
    let haven = Haven(name: "Bergen")
    for name in ["Una", "Eva"] { _ = Ship(name: name, haven: haven) }
    context.insert(haven)
    try context.save()
    #expect(try fixture.other.saved(Ship.self).map(\.name).sorted() == ["Eva", "Una"])
  }

  /// Whether an object ends with the program's last reference to it.
  private func ends(_ make: () throws -> Haven) rethrows -> Bool {
    weak var weakHaven: Haven?
    weak var weakShip: Ship?
    do {
      let haven = try make()
      (weakHaven, weakShip) = (haven, haven.ships.first)
    }
    return weakHaven == nil && weakShip == nil
  }

  private func haven() -> Haven {
    let haven = Haven(name: "Oslo")
    let ship = Ship(name: "Ida", haven: haven)
    ship.pennants = [Pennant(name: "fast")]
    return haven
  }

  @Test func `they end when they are taken apart`() {
    let isOver = ends {
      let haven = haven()
      haven.ships[0].pennants = []
      haven.ships = []
      return haven
    }
    #expect(isOver)
  }

  @Test func `they end after a rollback, or with their context`() {
    let isOverByRollback = ends {
      let haven = haven()
      context.insert(haven)
      context.rollback()
      return haven
    }
    #expect(isOverByRollback)
    let isOverByContext = ends {
      let haven = haven()
      let context = ModelContext(fixture.container)
      context.insert(haven)
      return haven
    }
    #expect(isOverByContext)
  }
}
