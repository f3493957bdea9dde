import DepotClient
import DepotProtocol
import TestSupport
import Testing

@testable import SwiftData

@Suite struct `Migrations` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ version: any VersionedSchema.Type,
    _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version),
        migrationPlan: plan,
        configurations: ModelConfiguration(url: folder.store())
      )
    )
  }

  private func makeFirst(_ notes: [(String, String)]) throws {
    let context = try open(NotesV1.self)
    for (title, text) in notes { context.insert(NotesV1.Note(title: title, text: text)) }
    try context.save()
  }

  private func version() throws -> String? {
    let context = try open(NotesV1.self)
    return try context.core.stores.first?.connect().schema().version?.description
  }

  @Test func `stages run one after the other`() throws {
    try makeFirst([("a", "one"), ("a", "two"), ("b", "three")])
    let context = try open(NotesV3.self, NotesPlan.self)
    let notes = try context.fetch(FetchDescriptor<NotesV3.Note>(sortBy: [.init(\.heading)]))
    #expect(notes.map(\.heading) == ["a", "b"])
    #expect(notes.map(\.length) == [3, 5])
    #expect(notes.map(\.folder?.name) == [nil, "Pinned"])
    let schema = try #require(context.core.stores.first).connect().schema()
    #expect(schema.version == SchemaVersion(3, 0, 0))
    #expect(schema["Note"]?["text"] == nil)
  }

  @Test func `a plan can be entered at any version`() throws {
    let context = try open(NotesV2.self)
    context.insert(NotesV2.Note(heading: "x", text: "1234"))
    try context.save()
    let later = try open(NotesV3.self, NotesPlan.self)
    #expect(try later.fetch(FetchDescriptor<NotesV3.Note>()).map(\.length) == [4])
  }

  @Test func `a store is opened again without a stage`() throws {
    try makeFirst([("a", "one")])
    _ = try open(NotesV3.self, NotesPlan.self)
    let context = try open(NotesV3.self, NotesPlan.self)
    #expect(try context.fetchCount(FetchDescriptor<NotesV3.Note>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<NotesV3.Folder>()) == 1)
  }

  @Test func `a new store has the last version at once`() throws {
    let context = try open(NotesV3.self, NotesPlan.self)
    let schema = try #require(context.core.stores.first).connect().schema()
    #expect(schema.version == SchemaVersion(3, 0, 0))
  }

  @Test func `a stage that fails leaves the store as it was`() throws {
    try makeFirst([("a", "one"), ("b", "two")])
    let failure = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try open(NotesV3.self, FailingPlan.self)
    }
    #expect(failure?.message.contains("from version 2.0.0 to 3.0.0") == true)
    let context = try open(NotesV2.self, NotesPlan.self)
    #expect(
      try context.fetch(FetchDescriptor<NotesV2.Note>(sortBy: [.init(\.heading)])).map(\.text) == [
        "one", "two",
      ]
    )
  }

  @Test func `a store that is newer than the program is an error`() throws {
    _ = try open(NotesV3.self, NotesPlan.self)
    #expect(throws: SwiftDataError.backwardMigration) { try open(NotesV2.self, NotesPlan.self) }
    #expect(throws: SwiftDataError.backwardMigration) { try open(NotesV1.self) }
  }

  @Test func `a stage that leads back is run`() throws {
    let context = try open(NotesV2.self)
    let note = NotesV2.Note(heading: "x", text: "one")
    note.isPinned = true
    context.insert(note)
    try context.save()
    let back = try open(NotesV1.self, RoundTripPlan.self)
    let notes = try back.fetch(FetchDescriptor<NotesV1.Note>())
    #expect(notes.map(\.title) == ["one"])
    #expect(notes.map(\.text) == ["one (pinned)"])
    // It is opened again as it is, and goes forward again.
    #expect(
      try open(NotesV1.self, RoundTripPlan.self).fetchCount(FetchDescriptor<NotesV1.Note>()) == 1
    )
    let forward = try open(NotesV2.self, RoundTripPlan.self)
    #expect(try forward.fetch(FetchDescriptor<NotesV2.Note>()).map(\.heading) == ["one"])
  }

  @Test func `a list of versions may lead back`() throws {
    let context = try open(NotesV2.self)
    context.insert(NotesV2.Note(heading: "x", text: "one"))
    try context.save()
    let back = try open(NotesV1B.self, ReversedPlan.self)
    #expect(try back.fetch(FetchDescriptor<NotesV1B.Note>()).map(\.title) == ["x"])
  }

  @Test func `versions may be listed in any order if stages connect them`() throws {
    try makeFirst([("a", "one")])
    let context = try open(NotesV2.self, DisorderedPlan.self)
    #expect(try context.fetch(FetchDescriptor<NotesV2.Note>()).map(\.heading) == ["a"])
  }

  @Test func `a store of none of the versions is an error`() throws {
    _ = try ModelContainer(
      for: Schema([Strange.Note.self]),
      configurations: ModelConfiguration(url: folder.store())
    )
    let failure = #expect(throws: SwiftDataError.unknownSchema) {
      try open(NotesV3.self, NotesPlan.self)
    }
    #expect(failure?.message.contains("1.0.0, 2.0.0, 3.0.0") == true)
  }

  @Test func `what can be inferred needs no stage`() throws {
    try makeFirst([("a", "one"), ("b", "two")])
    let context = try open(NotesV2.self, BarePlan.self)
    #expect(
      try context.fetch(FetchDescriptor<NotesV2.Note>(sortBy: [.init(\.heading)])).map(\.heading)
        == ["a", "b"]
    )
  }

  @Test func `what can't be inferred says which stage is missing`() throws {
    try makeFirst([("a", "one"), ("a", "two")])
    let failure = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try open(NotesV2.self, BarePlan.self)
    }
    #expect(failure?.hint?.contains("stage") == true)
    #expect(try open(NotesV1.self).fetchCount(FetchDescriptor<NotesV1.Note>()) == 2)
  }

  @Test func `without a plan, changes are inferred and the version rises`() throws {
    try makeFirst([("a", "one")])
    let changed = try ModelContainer(
      for: NotesV2.Note.self,
      configurations: ModelConfiguration(url: folder.store())
    )
    let notes = try ModelContext(changed).fetch(FetchDescriptor<NotesV2.Note>())
    #expect(notes.map(\.heading) == ["a"])
    let schema = try #require(changed.stores.first).connect().schema()
    #expect(schema.version == SchemaVersion(1, 0, 1))
    // A plan that comes later knows the version by its models.
    let planned = try open(NotesV3.self, NotesPlan.self)
    #expect(try planned.fetch(FetchDescriptor<NotesV3.Note>()).map(\.length) == [3])
  }

  @Test func `without a plan, what can't be inferred is an error`() throws {
    try makeFirst([("a", "one")])
    let failure = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Strange.Note.self,
        configurations: ModelConfiguration(url: folder.store())
      )
    }
    #expect(failure?.code == "schema.mismatch")
    #expect(try open(NotesV1.self).fetchCount(FetchDescriptor<NotesV1.Note>()) == 1)
  }

  @Test func `a store without the plan's entities is left alone`() throws {
    let buoys = try ModelConfiguration(
      "buoys",
      schema: Schema([Fleet.Buoy.self]),
      url: folder.store("buoys")
    )
    func open(_ version: any VersionedSchema.Type) throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema(version.models + [Fleet.Buoy.self], version: version.versionIdentifier),
          migrationPlan: NotesPlan.self,
          configurations: ModelConfiguration("notes", url: folder.store()),
          buoys
        )
      )
    }
    let context = try open(NotesV1.self)
    context.insert(Fleet.Buoy(number: 1))
    context.insert(NotesV1.Note(title: "a", text: "one"))
    try context.save()
    let later = try open(NotesV3.self)
    #expect(try later.fetchCount(FetchDescriptor<Fleet.Buoy>()) == 1)
    #expect(try later.fetch(FetchDescriptor<NotesV3.Note>()).map(\.length) == [3])
  }

  @Test func `a context of a stage is of no use after it`() throws {
    try makeFirst([("a", "one")])
    _ = try open(NotesV2.self, KeepingPlan.self)
    let kept = try #require(KeepingPlan.kept.context)
    #expect(throws: SwiftDataError.missingModelContext) {
      try kept.fetch(FetchDescriptor<NotesV2.Note>())
    }
  }
}

/// Models that another program stores in the file.
enum Strange {
  @Model final class Note {
    var title: Int
    var pages: Int

    init() {
      title = 0
      pages = 0
    }
  }
}

/// A plan that keeps the context of a stage.
enum KeepingPlan: SchemaMigrationPlan {
  /// What was kept.
  // because one test alone uses it
  final class Kept: @unchecked Sendable {
    var context: ModelContext?
  }
  static let kept = Kept()
  static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: NotesV1.self,
        toVersion: NotesV2.self,
        willMigrate: nil,
        didMigrate: { kept.context = $0 }
      )
    ]
  }
}

@Suite struct `Migrations at once` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `of programs that open a store together, one migrates it`() async throws {
    let url = try folder.store()
    do {
      let container = try ModelContainer(
        for: Schema(versionedSchema: NotesV1.self),
        configurations: [ModelConfiguration(url: url)]
      )
      let context = ModelContext(container)
      for number in 0..<50 { context.insert(NotesV1.Note(title: "\(number)", text: "text")) }
      try context.save()
    }
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await onThread {
            let container = try ModelContainer(
              for: Schema(versionedSchema: NotesV3.self),
              migrationPlan: NotesPlan.self,
              configurations: [ModelConfiguration(url: url)]
            )
            return try ModelContext(container).fetchCount(FetchDescriptor<NotesV3.Note>())
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == [50, 50, 50, 50])
  }
}
