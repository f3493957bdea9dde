import SwiftData

// Versions of a schema as people write them, with a lightweight and a custom stage.

enum NotesV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }

  @Model
  final class Note {
    var title: String
    init(title: String) { self.title = title }
  }
}

enum NotesV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Note.self] }

  @Model
  final class Note {
    var title: String
    var body: String = ""
    init(title: String, body: String = "") {
      self.title = title
      self.body = body
    }
  }
}

enum NotesV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }

  @Model
  final class Note {
    @Attribute(.unique) var title: String
    @Attribute(originalName: "body") var text: String = ""
    init(title: String, text: String = "") {
      self.title = title
      self.text = text
    }
  }
}

enum NotesMigrationPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self, NotesV3.self] }
  static var stages: [MigrationStage] { [migrateV1toV2, migrateV2toV3] }

  static let migrateV1toV2 = MigrationStage.lightweight(
    fromVersion: NotesV1.self,
    toVersion: NotesV2.self
  )

  static let migrateV2toV3 = MigrationStage.custom(
    fromVersion: NotesV2.self,
    toVersion: NotesV3.self,
    willMigrate: { context in
      let notes = try context.fetch(FetchDescriptor<NotesV2.Note>())
      var used = Set<String>()
      for note in notes where !used.insert(note.title).inserted {
        context.delete(note)
      }
      try context.save()
    },
    didMigrate: nil
  )
}
