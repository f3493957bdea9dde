import Testing

@testable import SwiftData

@Suite struct AutosaveTests {
  @MainActor @Test func `the main context saves once for each turn of its actor`() async throws {
    let fixture = try ContextFixture()
    let context = fixture.container.mainContext
    #expect(context.autosaveEnabled)
    let saves = Counter()
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: context,
      queue: nil
    ) { _ in saves.count += 1 }
    defer { NotificationCenter.default.removeObserver(token) }
    let gadget = Gadget(name: "Bolt")
    context.insert(gadget)
    gadget.count = 4
    context.insert(Gadget(name: "Nut"))
    #expect(context.hasChanges)
    for _ in 0..<1000 where context.hasChanges { await Task.yield() }
    #expect(!context.hasChanges)
    #expect(saves.count == 1)
    #expect(try fixture.other.fetch(FetchDescriptor<Gadget>()).map(\.count) == [4, 0])
  }

  @MainActor @Test func `a save without being asked that fails is told`() async throws {
    let fixture = try ContextFixture()
    let context = fixture.container.mainContext
    let shipyard = Shipyard(name: "Colin")
    shipyard.laurels = [1, 2, 3].map { Laurel(year: $0) }
    context.insert(shipyard)
    for _ in 0..<1000 where context.autosaveFailure == nil { await Task.yield() }
    #expect(context.autosaveFailure == .modelValidationFailure)
    #expect(context.hasChanges)
    shipyard.laurels.removeLast()
    for _ in 0..<1000 where context.autosaveFailure != nil { await Task.yield() }
    #expect(context.autosaveFailure == nil)
    #expect(!context.hasChanges)
  }

  @Test func `other contexts save by themselves only if they are told to`() async throws {
    let fixture = try ContextFixture()
    let background = fixture.container.newBackgroundContext()
    try await background.perform { context in
      #expect(!context.autosaveEnabled)
      context.autosaveEnabled = true
      context.insert(Gadget(name: "Bolt"))
    }
    let hasChanges = try await background.perform { $0.hasChanges }
    #expect(!hasChanges)
    #expect(try fixture.other.fetchCount(FetchDescriptor<Gadget>()) == 1)
  }
}

// because it is used on the main actor only
private final class Counter: @unchecked Sendable {
  var count = 0
}
