import Foundation
import Testing

@testable import SwiftData

@Suite struct `Defaults in migrations` {
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

  private static let count = 12

  private func makeFirst() throws {
    let context = try open(First.self)
    for number in 1...Self.count {
      context.insert(
        First.Tool(number: number, case: number % 3 == 0 ? nil : First.Case(size: number))
      )
      context.insert(First.Saw(number: -number))
    }
    try context.save()
  }

  @Test(arguments: [nil, Lightweight.self, Staged.self, Transformed.self] as [Plan?])
  func `an expression is evaluated for each row`(plan: Plan?) throws {
    try makeFirst()
    let tools = try open(Second.self, plan).fetch(FetchDescriptor<Second.Tool>())
    #expect(tools.count == 2 * Self.count)
    #expect(Set(tools.map(\.uid)).count == 2 * Self.count)
    #expect(Set(tools.map(\.mark)).count == 2 * Self.count)
    #expect(Set(tools.map(\.label.text)).count == 2 * Self.count)
    #expect(Set(tools.compactMap { ($0 as? Second.Saw)?.blade }).count == Self.count)
    #expect(tools.allSatisfy { $0.steady == "same" })
    // The values stay, and others come with the next objects.
    let context = try open(Second.self, plan)
    context.insert(Second.Tool(number: 99))
    try context.save()
    let again = try context.fetch(FetchDescriptor<Second.Tool>())
    #expect(Set(again.map(\.uid)).isSuperset(of: tools.map(\.uid)))
    #expect(Set(again.map(\.uid)).count == 2 * Self.count + 1)
  }

  @Test func `rows without a value get one each where one is required now`() throws {
    let context = try open(Lenient.self)
    let known = UUID()
    for number in 1...Self.count {
      let tool = Lenient.Tool(number: number)
      if number == 1 { tool.uid = known }
      context.insert(tool)
    }
    try context.save()
    let tools = try open(Strict.self).fetch(FetchDescriptor<Strict.Tool>(sortBy: [.init(\.number)]))
    #expect(tools.first?.uid == known)
    #expect(Set(tools.map(\.uid)).count == Self.count)
  }

  @Test func `rows that must differ and can't are told with what helps`() throws {
    try makeFirst()
    let failure = #expect(throws: SwiftDataError.loadIssueModelContainer) { try open(Alike.self) }
    #expect(failure?.message.contains("Tool.mark is unique, but several rows") == true)
    #expect(failure?.hint?.contains("custom stage") == true)
    #expect(try open(First.self).fetchCount(FetchDescriptor<First.Tool>()) == 2 * Self.count)
  }

  @Test func `a new part of an optional structure has the default of the property`() throws {
    try makeFirst()
    let tools = try open(Grown.self).fetch(
      FetchDescriptor<Grown.Tool>(
        predicate: #Predicate { $0.number > 0 },
        sortBy: [.init(\.number)]
      )
    )
    #expect(tools.map(\.case?.size) == (1...Self.count).map { $0 % 3 == 0 ? nil : $0 })
    #expect(tools.compactMap(\.case?.colour) == Array(repeating: "red", count: 8))
    #expect(tools.allSatisfy { $0.kit.inner == nil && $0.kit.isOpen == false })
  }

  typealias Plan = any SchemaMigrationPlan.Type

  enum First: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Tool.self, Saw.self] }

    struct Case: Codable { var size: Int }

    @Model class Tool {
      var number: Int
      var `case`: Case?

      init(number: Int, case: Case? = nil) {
        self.number = number
        self.case = `case`
      }
    }

    @Model final class Saw: Tool {
      var teeth = 8

      override init(number: Int, case: Case? = nil) { super.init(number: number) }
    }
  }

  enum Second: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Tool.self, Saw.self] }

    struct Label: Codable {
      var text: String
      var note: String?
    }

    @Model class Tool {
      var number: Int
      var `case`: First.Case?
      @Attribute(.unique) var uid = UUID()
      var mark: String? = UUID().uuidString
      var label = Label(text: UUID().uuidString)
      var steady = "same"

      init(number: Int) { self.number = number }
    }

    @Model final class Saw: Tool {
      var teeth = 8
      var blade = UUID()

      override init(number: Int) { super.init(number: number) }
    }
  }

  enum Lightweight: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
    static var stages: [MigrationStage] {
      [.lightweight(fromVersion: First.self, toVersion: Second.self)]
    }
  }

  enum Staged: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: First.self,
          toVersion: Second.self,
          willMigrate: { context in
            let tools = try context.fetchCount(FetchDescriptor<First.Tool>())
            #expect(tools == 2 * count)
          },
          didMigrate: { context in
            let tools = try context.fetch(FetchDescriptor<Second.Tool>())
            #expect(Set(tools.map(\.uid)).count == 2 * count)
          }
        )
      ]
    }
  }

  enum Transformed: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
    static var stages: [MigrationStage] {
      [
        .custom(fromVersion: First.self, toVersion: Second.self) { old, new in
          let before = try old.fetchCount(FetchDescriptor<First.Tool>())
          #expect(before == 2 * count)
          let tools = try new.fetch(FetchDescriptor<Second.Tool>())
          #expect(Set(tools.map(\.uid)).count == 2 * count)
        }
      ]
    }
  }

  enum Lenient: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Tool.self] }

    @Model final class Tool {
      var number: Int
      var uid: UUID?

      init(number: Int) { self.number = number }
    }
  }

  enum Strict: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Tool.self] }

    @Model final class Tool {
      var number: Int
      @Attribute(.unique) var uid = UUID()

      init(number: Int) { self.number = number }
    }
  }

  enum Alike: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Tool.self, Saw.self] }

    @Model class Tool {
      var number: Int
      var `case`: First.Case?
      @Attribute(.unique) var mark = "same"

      init(number: Int) { self.number = number }
    }

    @Model final class Saw: Tool {
      var teeth = 8

      override init(number: Int) { super.init(number: number) }
    }
  }

  enum Grown: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Tool.self, Saw.self] }

    struct Case: Codable {
      var size: Int
      var colour: String
    }

    struct Inner: Codable {
      var isNew: Bool
      var isUsed: Bool
    }

    struct Kit: Codable {
      var inner: Inner?
      var isOpen: Bool
    }

    @Model class Tool {
      var number: Int
      var `case`: Case? = Case(size: 1, colour: "red")
      var kit = Kit(inner: Inner(isNew: true, isUsed: true), isOpen: false)

      init(number: Int) { self.number = number }
    }

    @Model final class Saw: Tool {
      var teeth = 8

      override init(number: Int) { super.init(number: number) }
    }
  }
}
