import Foundation
import Synchronization
import Testing

@testable import SwiftData

@Suite struct `Stages of migrations` {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: ShelvesV1.self),
        configurations: ModelConfiguration(url: folder.store())
      )
    )
    for name in ["a", "b"] { context.insert(ShelvesV1.Shelf(name: name)) }
    try context.save()
  }

  /// Opens the store as the new version, with `stage` in between.
  private func migrate(_ stage: @escaping ShelvesPlan.Stage) throws -> ModelContext {
    try ShelvesPlan.$current.withValue(stage) {
      ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: ShelvesV2.self),
          migrationPlan: ShelvesPlan.self,
          configurations: ModelConfiguration(url: folder.store())
        )
      )
    }
  }

  @Test func `what is missing can be given the value that stands for it`() throws {
    let context = try migrate { context in
      for shelf in try context.fetch(FetchDescriptor<ShelvesV2.Shelf>()) {
        #expect(shelf.count == 0)
        shelf.count = 0
        shelf.label = ""
        shelf.kind = .wide
        shelf.picture = Data()
      }
      try context.save()
    }
    let shelves = try context.fetch(FetchDescriptor<ShelvesV2.Shelf>(sortBy: [.init(\.name)]))
    #expect(shelves.map(\.name) == ["a", "b"])
    #expect(shelves.map(\.count) == [0, 0])
    #expect(shelves.map(\.kind) == [.wide, .wide])
  }

  @Test func `what is missing and isn't given a value is an error`() throws {
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try migrate { context in
        for shelf in try context.fetch(FetchDescriptor<ShelvesV2.Shelf>()) {
          shelf.label = ""
          shelf.kind = .narrow
          shelf.picture = Data()
        }
        try context.save()
      }
    }
  }

  @Test func `contexts that merge, and observers, leave the stage's connection alone`() throws {
    let context = try migrate { context in
      context.automaticallyMergesChanges = true
      let observer = try HistoryObserver(modelContainer: context.container)
      let other = ModelContext(context.container)
      other.automaticallyMergesChanges = true
      for shelf in try other.fetch(FetchDescriptor<ShelvesV2.Shelf>()) { shelf.fill() }
      try other.save()
      context.insert(ShelvesV2.Shelf(name: "c"))
      try context.save()
      withExtendedLifetime(observer) {}
    }
    #expect(try context.fetchCount(FetchDescriptor<ShelvesV2.Shelf>()) == 3)
  }

  @Test func `the store can't be opened again in its own stage`() throws {
    let url = try folder.store()
    let failure = Mutex<SwiftDataError?>(nil)
    _ = try migrate { context in
      let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
        try ModelContainer(
          for: Schema(versionedSchema: ShelvesV1.self),
          configurations: ModelConfiguration(url: url)
        )
      }
      failure.withLock { $0 = error }
      for shelf in try context.fetch(FetchDescriptor<ShelvesV2.Shelf>()) { shelf.fill() }
      try context.save()
    }
    #expect(failure.withLock { $0?.message.contains("stage") } == true)
  }
}

private enum ShelvesV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Shelf.self] }

  @Model final class Shelf {
    var name: String

    init(name: String) { self.name = name }
  }
}

private enum ShelvesV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Shelf.self] }

  enum Kind: String, Codable { case wide, narrow }

  @Model final class Shelf {
    var name: String
    var count: Int
    var label: String
    var kind: Kind
    var picture: Data

    init(name: String) {
      self.name = name
      count = 1
      label = name
      kind = .narrow
      picture = Data([1])
    }

    /// Gives everything that is new a value.
    func fill() {
      count = 1
      label = name
      kind = .narrow
      picture = Data([1])
    }
  }
}

private enum ShelvesPlan: SchemaMigrationPlan {
  typealias Stage = @Sendable (ModelContext) throws -> Void

  @TaskLocal static var current: Stage = { _ in }

  static var schemas: [any VersionedSchema.Type] { [ShelvesV1.self, ShelvesV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: ShelvesV1.self,
        toVersion: ShelvesV2.self,
        willMigrate: nil,
        didMigrate: { try current($0) }
      )
    ]
  }
}
