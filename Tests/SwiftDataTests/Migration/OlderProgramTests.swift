import Testing

@testable import SwiftData

@Suite struct `Older programs` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ schema: Schema) throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: schema, configurations: ModelConfiguration(url: folder.store()))
    )
  }

  private func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
    try open(Schema(types))
  }

  private func insert(_ model: some PersistentModel, into context: ModelContext) throws {
    context.insert(model)
    try context.save()
  }

  @Test func `without versions are refused once a property has another name`() throws {
    try insert(Old.Memo(text: "mine"), into: open(Old.Memo.self))
    let newer = try open(New.Memo.self)
    #expect(try newer.fetch(FetchDescriptor<New.Memo>()).map(\.body) == ["mine"])
    let failure = #expect(throws: SwiftDataError.backwardMigration) { try open(Old.Memo.self) }
    #expect(failure?.message.contains("Memo.text is called body") == true)
    let again = try open(New.Memo.self).fetch(FetchDescriptor<New.Memo>())
    #expect(again.map(\.body) == ["mine"])
  }

  @Test func `are refused too if the new name would go, as rows can't do without it`() throws {
    try insert(Old.Memo(text: "mine"), into: open(Old.Memo.self))
    _ = try open(Required.Memo.self)
    #expect(throws: SwiftDataError.backwardMigration) { try open(Old.Memo.self) }
    let memos = try open(Required.Memo.self).fetch(FetchDescriptor<Required.Memo>())
    #expect(memos.map(\.body) == ["mine"])
  }

  @Test func `are refused once a relationship has another name`() throws {
    let old = try open(Old.Card.self, Old.Box.self)
    try insert(Old.Card(box: Old.Box()), into: old)
    _ = try open(New.Card.self, New.Box.self)
    let failure = #expect(throws: SwiftDataError.backwardMigration) {
      try open(Old.Card.self, Old.Box.self)
    }
    #expect(failure?.message.contains("Card.box is called place") == true)
  }

  @Test func `are refused by a later version that has given a property up`() throws {
    let first = Schema.Version(1, 0, 0)
    try insert(Old.Memo(text: "mine"), into: open(Schema([Old.Memo.self], version: first)))
    _ = try ModelContainer(
      for: Schema(versionedSchema: MemosV2.self),
      migrationPlan: MemosPlan.self,
      configurations: ModelConfiguration(url: folder.store())
    )
    let failure = #expect(throws: SwiftDataError.backwardMigration) {
      try open(Schema([Old.Memo.self], version: first))
    }
    #expect(failure?.message.contains("the store has no Memo.text") == true)
  }

  @Test func `of other classes go on, whatever their version`() throws {
    _ = try open(Schema([New.Memo.self], version: Schema.Version(3, 0, 0)))
    let context = try open(Fleet.Buoy.self)
    #expect(try context.fetchCount(FetchDescriptor<Fleet.Buoy>()) == 0)
  }

  @Test func `are those that lack the new name; newer ones may use the old one again`() throws {
    try insert(Old.Memo(text: "mine"), into: open(Old.Memo.self))
    _ = try open(New.Memo.self)
    let both = try open(Both.Memo.self).fetch(FetchDescriptor<Both.Memo>())
    #expect(both.map(\.body) == ["mine"])
    #expect(both.map(\.text) == ["new"])
    let greater = Schema([Old.Memo.self], version: Schema.Version(2, 0, 0))
    let memos = try open(greater).fetch(FetchDescriptor<Old.Memo>())
    #expect(memos.map(\.text) == ["new"])
  }

  enum Old {
    @Model final class Memo {
      var text = "lost"

      init(text: String) { self.text = text }
    }

    @Model final class Card {
      var number = 1
      var box: Box?

      init(box: Box?) { self.box = box }
    }

    @Model final class Box {
      var number = 1
      @Relationship(inverse: \Card.box) var cards: [Card] = []

      init() {}
    }
  }

  enum New {
    @Model final class Memo {
      @Attribute(originalName: "text") var body = "none"

      init() {}
    }

    @Model final class Card {
      var number = 1
      @Relationship(originalName: "box") var place: Box?

      init() {}
    }

    @Model final class Box {
      var number = 1
      @Relationship(inverse: \Card.place) var cards: [Card] = []

      init() {}
    }
  }

  enum Required {
    @Model final class Memo {
      @Attribute(originalName: "text") var body: String

      init() { body = "" }
    }
  }

  enum Both {
    @Model final class Memo {
      @Attribute(originalName: "text") var body = "none"
      var text = "new"

      init() {}
    }
  }

  enum MemosV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Old.Memo.self] }
  }

  enum MemosV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Memo.self] }

    @Model final class Memo {
      var length = 0

      init() {}
    }
  }

  enum MemosPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [MemosV1.self, MemosV2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(fromVersion: MemosV1.self, toVersion: MemosV2.self) { old, new in
          let memos = try new.fetch(FetchDescriptor<MemosV2.Memo>())
          for (memo, before) in zip(memos, try old.fetch(FetchDescriptor<Old.Memo>())) {
            memo.length = before.text.count
          }
          try new.save()
        }
      ]
    }
  }
}
