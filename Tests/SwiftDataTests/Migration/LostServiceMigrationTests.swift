import Foundation
import Testing

@testable import SwiftData

@Suite struct `Migrations whose service ends` {
  @Test func `a stage is begun again with the next service`() throws {
    let service = try LosableService()
    let configuration = ModelConfiguration(url: service.store)
    do {
      let schema = Schema(versionedSchema: NotesV1.self)
      let context = ModelContext(try ModelContainer(for: schema, configurations: configuration))
      context.insert(NotesV1.Note(title: "a", text: "one"))
      try context.save()
    }
    Interruption.current = Interruption(service)
    defer { Interruption.current = nil }
    let container = try ModelContainer(
      for: Schema(versionedSchema: NotesV2.self),
      migrationPlan: InterruptedPlan.self,
      configurations: configuration
    )
    let notes = try ModelContext(container).fetch(FetchDescriptor<NotesV2.Note>())
    #expect(notes.map(\.heading) == ["a"])
    #expect(notes.map(\.text) == ["one, migrated"])
    #expect(Interruption.current?.stages == 2)
  }
}

/// What ends the service in the middle of a stage, once.
private final class Interruption {
  // because one test alone uses it, on one thread
  nonisolated(unsafe) static var current: Interruption?

  private(set) var stages = 0
  private let service: LosableService

  init(_ service: LosableService) { self.service = service }

  func happen() throws {
    stages += 1
    guard stages == 1 else { return }
    service.kill()
    try service.start()
  }
}

/// A plan whose stage is interrupted.
private enum InterruptedPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: NotesV1.self,
        toVersion: NotesV2.self,
        willMigrate: nil,
        didMigrate: { context in
          for note in try context.fetch(FetchDescriptor<NotesV2.Note>()) {
            note.text += ", migrated"
          }
          try Interruption.current?.happen()
          try context.save()
        }
      )
    ]
  }
}
