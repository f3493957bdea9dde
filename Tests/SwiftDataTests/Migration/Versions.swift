import SwiftData

/// The versions of a program that keeps notes.
enum NotesV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }

  @Model final class Note {
    var title: String
    var text: String

    init(title: String, text: String) {
      self.title = title
      self.text = text
    }
  }
}

enum NotesV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }

  @Model final class Note {
    @Attribute(.unique, originalName: "title") var heading: String
    var text: String
    var isPinned = false

    init(heading: String, text: String) {
      self.heading = heading
      self.text = text
    }
  }
}

enum NotesV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self, Folder.self] }

  @Model final class Note {
    @Attribute(.unique) var heading: String
    var length: Int
    var folder: Folder?

    init(heading: String, length: Int) {
      self.heading = heading
      self.length = length
    }
  }

  @Model final class Folder {
    var name: String
    var notes: [Note] = []

    init(name: String) { self.name = name }
  }
}

enum NotesPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self, NotesV3.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: NotesV1.self,
        toVersion: NotesV2.self,
        willMigrate: { context in
          var known: Set<String> = []
          let notes = try context.fetch(FetchDescriptor<NotesV1.Note>(sortBy: [.init(\.text)]))
          for note in notes where !known.insert(note.title).inserted { context.delete(note) }
          try context.save()
        },
        didMigrate: { context in
          for note in try context.fetch(FetchDescriptor<NotesV2.Note>()) {
            note.isPinned = note.heading == "b"
          }
          try context.save()
        }
      ),
      .custom(fromVersion: NotesV2.self, toVersion: NotesV3.self) { old, new in
        let texts = try old.fetch(FetchDescriptor<NotesV2.Note>())
        let folder = NotesV3.Folder(name: "Pinned")
        new.insert(folder)
        for note in try new.fetch(FetchDescriptor<NotesV3.Note>()) {
          guard let before = texts.first(where: { $0.heading == note.heading }) else { continue }
          note.length = before.text.count
          if before.isPinned { note.folder = folder }
        }
        try new.save()
      },
    ]
  }
}

/// A plan whose last stage fails.
enum FailingPlan: SchemaMigrationPlan {
  struct Failure: Error {}
  static var schemas: [any VersionedSchema.Type] { NotesPlan.schemas }
  static var stages: [MigrationStage] {
    [
      NotesPlan.stages[0],
      .custom(
        fromVersion: NotesV2.self,
        toVersion: NotesV3.self,
        willMigrate: { context in
          for note in try context.fetch(FetchDescriptor<NotesV2.Note>()) { context.delete(note) }
          try context.save()
        },
        didMigrate: { _ in throw Failure() }
      ),
    ]
  }
}

/// A plan without stages.
enum BarePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self] }
  static var stages: [MigrationStage] { [] }
}

/// A plan whose stages lead forward and back.
enum RoundTripPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: NotesV1.self, toVersion: NotesV2.self),
      .custom(
        fromVersion: NotesV2.self,
        toVersion: NotesV1.self,
        willMigrate: { context in
          for note in try context.fetch(FetchDescriptor<NotesV2.Note>()) where note.isPinned {
            note.text += " (pinned)"
          }
          try context.save()
        },
        didMigrate: { context in
          for note in try context.fetch(FetchDescriptor<NotesV1.Note>()) {
            note.title = String(note.text.prefix(3))
          }
          try context.save()
        }
      ),
    ]
  }
}

/// A plan whose list of versions leads back.
enum ReversedPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [NotesV2.self, NotesV1B.self] }
  static var stages: [MigrationStage] { [] }
}

/// The first version again, which knows what became of the title.
enum NotesV1B: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 1, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }

  @Model final class Note {
    @Attribute(originalName: "heading") var title: String
    var text: String

    init(title: String, text: String) {
      self.title = title
      self.text = text
    }
  }
}

/// A plan whose versions aren't listed in their order.
enum DisorderedPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [NotesV2.self, NotesV1.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: NotesV1.self, toVersion: NotesV2.self)]
  }
}
