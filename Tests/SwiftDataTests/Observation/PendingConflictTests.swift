import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

/// Actors that increase one number, and try again when others were first.
@ModelActor private actor Incrementer {
  func increment(_ identifier: PersistentIdentifier, times: Int, by amount: Int = 1) async throws {
    modelContext.mergePolicy = .error
    for _ in 0..<times {
      while true {
        do {
          (modelContext.model(for: identifier) as? Volume)?.pages += amount
          await Task.yield()
          try modelContext.save()
          break
        } catch let error as SwiftDataError where error == .saveConflict {
          modelContext.rollback()
        }
      }
    }
  }

  func incrementInTransactions(
    _ identifier: PersistentIdentifier,
    times: Int,
    by amount: Int
  ) throws {
    modelContext.mergePolicy = .error
    for _ in 0..<times {
      while true {
        do {
          try modelContext.transaction {
            (modelContext.model(for: identifier) as? Volume)?.pages += amount
          }
          break
        } catch let error as SwiftDataError where error == .saveConflict {}
      }
    }
  }
}

/// Unsaved changes of properties that others have changed too.
@MainActor @Suite struct `Changes that others were first with` {
  private let container: ModelContainer
  private let context: ModelContext
  private let other: ModelContext
  private let volume: Volume
  private let twin: Volume

  init() throws {
    container = try libraryContainer()
    context = container.mainContext
    context.autosaveEnabled = false
    volume = Volume(title: "Emma")
    context.insert(volume)
    try context.save()
    other = ModelContext(container)
    twin = try other.existingModel(for: volume.persistentModelID)
  }

  private func stored() throws -> Volume {
    let fresh = ModelContext(container)
    fresh.autosaveEnabled = false
    return try #require(try fresh.fetch(FetchDescriptor<Volume>()).first)
  }

  @Test func `are a conflict under the policy error though the values are equal`() throws {
    context.mergePolicy = .error
    volume.pages += 1
    twin.pages += 1
    try other.save()
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.conflicts.map(\.properties) == [["pages"]])
    context.rollback()
    #expect(volume.pages == 1)
    volume.pages += 1
    try context.save()
    #expect(try stored().pages == 2)
  }

  @Test func `are a conflict though texts and links are equal`() throws {
    let shelf = Shelf(name: "A")
    context.insert(shelf)
    try context.save()
    context.mergePolicy = .error
    volume.title = "Persuasion"
    volume.shelf = shelf
    twin.title = "Persuasion"
    twin.shelf = try other.existingModel(for: shelf.persistentModelID)
    try other.save()
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(Set(error?.conflicts.flatMap(\.properties) ?? []) == ["title", "shelf"])
  }

  @Test(arguments: [MergePolicy.mergeByPropertyObjectTrump, .overwrite])
  func `stay pending and are stored where the object wins`(_ policy: MergePolicy) throws {
    context.mergePolicy = policy
    volume.pages = 5
    twin.pages = 5
    try other.save()
    #expect(context.hasChanges && volume.hasChanges)
    twin.pages = 7
    try other.save()
    try context.save()
    #expect(try stored().pages == 5)
  }

  @Test func `are told in didSave where the object wins`() throws {
    volume.pages = 5
    twin.pages = 7
    try other.save()
    let notices = Notices(of: context)
    try context.save()
    #expect(notices.conflicts.count == 1)
    let conflict = try #require(notices.conflicts.first)
    #expect(conflict.properties == ["pages"])
    #expect(conflict.base["pages"] == .int64(0))
    #expect(conflict.store["pages"] == .int64(7))
    #expect(conflict.client["pages"] == .int64(5))
  }

  @Test func `are a conflict of what was only required to be unchanged`() throws {
    context.detectConflicts(for: volume)
    volume.pages = 4
    volume.pages = 0
    twin.pages = 0
    twin.title = "Emma!"
    try other.save()
    let new = Volume(title: "new")
    context.insert(new)
    #expect(throws: SwiftDataError.saveConflict) { try context.save() }
  }

  @Test(arguments: MergePolicy.allCases)
  func `give way to an update in bulk of their own context where the store wins`(
    _ policy: MergePolicy
  ) async throws {
    context.mergePolicy = policy
    volume.pages = 1
    try context.update(Volume.self, set: \.pages, to: 2)
    let storeWins = policy == .mergeByPropertyStoreTrump || policy == .rollback
    #expect(volume.pages == (storeWins ? 2 : 1))
    // The main actor may be busy with other tests for long.
    try await container.waitUntilMerged(within: .seconds(3600))
    #expect(volume.pages == (storeWins ? 2 : 1))
    if policy == .error {
      #expect(throws: SwiftDataError.saveConflict) { try context.save() }
      context.rollback()
    } else {
      try context.save()
    }
    #expect(volume.pages == (storeWins || policy == .error ? 2 : 1))
    let stored = try ModelContext(container).fetch(FetchDescriptor<Volume>())
    #expect(stored.map(\.pages) == [volume.pages])
  }

  @Test func `are none of those that four actors increase with retries`() async throws {
    let identifier = volume.persistentModelID
    let container = container
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          try await Incrementer(modelContainer: container).increment(identifier, times: 50)
        }
      }
      try await group.waitForAll()
    }
    #expect(try stored().pages == 200)
  }

  @Test func `are none of those that four actors increase in transactions`() async throws {
    let identifier = volume.persistentModelID
    let container = container
    try await withThrowingTaskGroup { group in
      for amount in 1...4 {
        group.addTask {
          try await Incrementer(modelContainer: container)
            .incrementInTransactions(identifier, times: 50, by: amount)
        }
      }
      try await group.waitForAll()
    }
    #expect(try stored().pages == 500)
  }

  @Test func `aren't there where a value is set to what it is`() throws {
    let notices = Notices(of: context)
    volume.title = volume.title
    volume.pages = 0
    #expect(!context.hasChanges && !volume.hasChanges)
    try context.save()
    #expect(notices.count == 0)
  }
}
