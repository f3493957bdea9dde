import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

/// Objects whose last owner lets them go on another thread than that of their context, as a class on the main
/// actor does that ends in a task elsewhere.
@Suite struct `Objects that end on another thread` {
  /// Objects on their way to the thread on which they end.
  private final class Dropped: Sendable {
    private let boxes = Mutex<[Box]>([])
    private let isDone = Mutex(false)

    private struct Box: @unchecked Sendable { let ships: [Ship] }

    func add(_ ships: [Ship]) { boxes.withLock { $0.append(Box(ships: ships)) } }
    func end() { isDone.withLock { $0 = true } }

    /// Lets objects go as they come, until the end.
    func run() {
      while true {
        let isLast = isDone.withLock { $0 }
        let last = boxes.withLock { $0.popLast() }
        if last == nil, isLast { return }
      }
    }
  }

  @Test func `are found while they are there, and no longer`() async throws {
    let fixture = try ContextFixture()
    let haven = Haven(name: "Oslo")
    fixture.other.insert(haven)
    for number in 0..<200 { haven.ships.append(Ship(name: "\(number)")) }
    try haven.modelContext?.save()
    let dropped = Dropped()
    async let end: Void = onThread { dropped.run() }
    defer { dropped.end() }
    for round in 0..<300 {
      let context = round % 50 < 49 ? fixture.context : ModelContext(fixture.container)
      var ships = try context.fetch(FetchDescriptor<Ship>())
      #expect(ships.count == 200)
      #expect(Set(ships.map(\.persistentModelID)).count == 200)
      #expect(ships.allSatisfy { $0.haven?.name == "Oslo" })
      if round % 50 < 49 { #expect(ships.allSatisfy { $0.modelContext === context }) }
      dropped.add(Array(ships.prefix(150)))
      ships = []
    }
    dropped.end()
    try await end
  }
}
