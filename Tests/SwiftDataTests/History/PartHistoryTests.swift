import Foundation
import TestSupport
import Testing

@testable import SwiftData

private struct Size: Codable, Equatable {
  var width: Int
  var unit: String?
}

private struct Box: Codable, Equatable {
  var size: Size
  var lid: Size?
}

@Model private class Tool {
  var name: String
  var size: Size
  var spare: Size?

  init(name: String) {
    self.name = name
    size = Size(width: 1, unit: "mm")
  }
}

@Model private final class Saw: Tool {
  var box: Box
  var cover: Box?

  override init(name: String) {
    box = Box(size: Size(width: 1), lid: Size(width: 2, unit: "mm"))
    super.init(name: name)
  }
}

@MainActor @Suite struct `The history of structures of which a part changed` {
  private let container: ModelContainer
  private let context: ModelContext
  private let saw = Saw(name: "a")

  init() throws {
    container = try ModelContainer(storing: Tool.self, Saw.self)
    context = container.mainContext
    context.autosaveEnabled = false
    context.insert(saw)
    try context.save()
  }

  private func updates(
    _ predicate: Predicate<DefaultHistoryTransaction>? = nil
  ) throws -> [DefaultHistoryUpdate<Saw>] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate))
      .flatMap(\.changes).compactMap { change in
        if case .update(let update) = change { update as? DefaultHistoryUpdate } else { nil }
      }
  }

  @Test func `tells the whole before and after, also inherited and nested`() throws {
    let first = saw.box
    saw.size.width = 2
    saw.box.size.width = 3
    try context.save()
    let second = saw.box
    saw.box.lid?.unit = nil
    try context.save()
    let third = saw.box
    // Later changes leave earlier ones as they were.
    saw.size.unit = "cm"
    saw.box.size.unit = "cm"
    try context.save()
    context.delete(saw)
    try context.save()
    let updates = try updates()
    #expect(updates.count == 3)
    #expect(updates[0].oldValue(for: \.size) as? Size == Size(width: 1, unit: "mm"))
    #expect(updates[0].newValue(for: \.size) as? Size == Size(width: 2, unit: "mm"))
    #expect(updates[0].oldValue(for: \.box) as? Box == first)
    #expect(updates[0].newValue(for: \.box) as? Box == second)
    #expect(updates[1].oldValue(for: \.box) as? Box == second)
    #expect(updates[1].newValue(for: \.box) as? Box == third)
    #expect(updates[1].newValue(for: \.size) == nil)
    #expect(updates[2].newValue(for: \.size) as? Size == Size(width: 2, unit: "cm"))
    #expect(Set(updates[1].updatedAttributes.map { $0 as AnyKeyPath }) == [\Saw.box])
  }

  @Test func `tells optional structures that come, change, and become nil`() throws {
    saw.spare = Size(width: 1)
    saw.cover = Box(size: Size(width: 1, unit: "mm"), lid: Size(width: 2))
    try context.save()
    saw.spare?.width = 2
    saw.cover?.lid = nil
    try context.save()
    let cover = saw.cover
    saw.spare = nil
    saw.cover = nil
    try context.save()
    let updates = try updates()
    #expect(
      updates.map { $0.oldValue(for: \.spare) as? Size? } == [nil, Size(width: 1), Size(width: 2)]
    )
    #expect(
      updates.map { $0.newValue(for: \.spare) as? Size? } == [Size(width: 1), Size(width: 2), nil]
    )
    #expect(updates[1].newValue(for: \.cover) as? Box == cover)
    #expect(updates[2].oldValue(for: \.cover) as? Box == cover)
    #expect(updates[2].newValue(for: \.cover) as? Box == nil)
  }

  @Test func `tells the whole of another context's save, which a context merges`() async throws {
    let other = ModelContext(container)
    let twin: Saw = try other.existingModel(for: saw.persistentModelID)
    twin.size.width = 5
    twin.box.lid?.width = 6
    try other.save()
    try await expectSoon {
      context.processPendingChanges()
      return saw.box == twin.box && saw.size == twin.size
    }
    let update = try #require(updates().last)
    #expect(update.oldValue(for: \.size) as? Size == Size(width: 1, unit: "mm"))
    #expect(update.newValue(for: \.size) as? Size == Size(width: 5, unit: "mm"))
    #expect(update.newValue(for: \.box) as? Box == twin.box)
  }
}
