import Foundation
import Testing

@testable import SwiftData

/// Versions of a program that store the same values in other forms.
@Suite struct `Forms of values` {
  private let folder: TemporaryFolder
  private let day = Date(timeIntervalSinceReferenceDate: 7.25)
  private let identifier = UUID()

  init() throws { folder = try TemporaryFolder() }

  private func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
    let configuration = ModelConfiguration(url: try folder.store())
    return ModelContext(try ModelContainer(for: Schema(types), configurations: [configuration]))
  }

  private func open(
    _ version: any VersionedSchema.Type,
    _ plan: any SchemaMigrationPlan.Type
  ) throws -> ModelContext {
    let configuration = ModelConfiguration(url: try folder.store())
    return ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version),
        migrationPlan: plan,
        configurations: [configuration]
      )
    )
  }

  private var parts: ByParts.Value {
    ByParts.Value(
      a: 1,
      b: "b",
      day: day,
      id: identifier,
      data: Data([1, 2]),
      price: Decimal(string: "1.25"),
      link: URL(string: "https://example.org/a"),
      kind: .second,
      list: [1, 2],
      inner: ByParts.Inner(x: 0.5, y: nil)
    )
  }

  private func fill() throws {
    let context = try open(ByParts.Thing.self, ByParts.Heir.self)
    context.insert(ByParts.Thing(parts))
    context.insert(ByParts.Heir(parts))
    let empty = ByParts.Thing(parts)
    empty.spare = nil
    context.insert(empty)
    try context.save()
  }

  private func expectWhole(_ context: ModelContext) throws {
    let things = try context.fetch(FetchDescriptor<Whole.Thing>())
    #expect(things.count == 3)
    for thing in things { #expect(thing.value.isEqual(parts)) }
    #expect(things.compactMap(\.spare).count == 2)
    for spare in things.compactMap(\.spare) { #expect(spare.isEqual(parts)) }
    let heir = try #require(things.compactMap { $0 as? Whole.Heir }.first)
    #expect(heir.more?.isEqual(parts) == true)
  }

  @Test func `parts become a whole, and a whole parts`() throws {
    try fill()
    try expectWhole(open(Whole.Thing.self, Whole.Heir.self))
    let things = try open(ByParts.Thing.self, ByParts.Heir.self)
      .fetch(FetchDescriptor<ByParts.Thing>())
    #expect(things.map(\.value) == [parts, parts, parts])
    #expect(things.compactMap(\.spare) == [parts, parts])
    #expect(things.compactMap { $0 as? ByParts.Heir }.map(\.more) == [parts])
  }

  @Test(arguments: [false, true])
  func `a plan converts them too`(hasStage: Bool) throws {
    try fill()
    let plan: any SchemaMigrationPlan.Type = hasStage ? StagePlan.self : InferredPlan.self
    try expectWhole(open(Whole.self, plan))
  }

  @Test func `parts within parts are converted`() throws {
    let first = try open(Flat.Thing.self)
    first.insert(Flat.Thing(Flat.Outer(name: "n", inner: Flat.Inner(x: 3))))
    try first.save()
    let thing = try #require(
      try open(Deep.Thing.self).fetch(FetchDescriptor<Deep.Thing>()).first
    )
    #expect(thing.outer.name == "n")
    #expect(thing.outer.inner.x == 3)
    let again = try #require(
      try open(Flat.Thing.self).fetch(FetchDescriptor<Flat.Thing>()).first
    )
    #expect(again.outer.inner.x == 3)
  }

  @Test func `a raw value becomes a structure that takes it`() throws {
    let first = try open(Raw.Thing.self)
    first.insert(Raw.Thing(.high))
    try first.save()
    let things = try open(Rich.Thing.self).fetch(FetchDescriptor<Rich.Thing>())
    #expect(things.map(\.level.name) == ["high"])
  }

  @Test func `a raw value or a structure doesn't become a default`() throws {
    let first = try open(Raw.Thing.self)
    first.insert(Raw.Thing(.high))
    try first.save()
    for type in [Keyed.Thing.self, Words.Thing.self] as [any PersistentModel.Type] {
      let error = #expect(throws: SwiftDataError.self) { try open(type) }
      #expect(error?.kind == .loadIssueModelContainer)
      #expect(error?.message.contains("Thing.level") == true, "\(error?.message ?? "")")
      #expect(error?.hint?.isEmpty == false)
    }
    let raw = try open(Raw.Thing.self)
    #expect(try raw.fetch(FetchDescriptor<Raw.Thing>()).map(\.level) == [.high])
    try raw.delete(model: Raw.Thing.self)
    let second = try open(Keyed.Thing.self)
    second.insert(Keyed.Thing(Keyed.Level(name: "high", rank: 3)))
    try second.save()
    for type in [Raw.Thing.self, Words.Thing.self] as [any PersistentModel.Type] {
      let error = #expect(throws: SwiftDataError.self) { try open(type) }
      #expect(error?.kind == .loadIssueModelContainer)
      #expect(error?.message.contains("Thing.level") == true, "\(error?.message ?? "")")
    }
    let things = try open(Keyed.Thing.self).fetch(FetchDescriptor<Keyed.Thing>())
    #expect(things.map(\.level.rank) == [3])
  }

  @Test func `a value that can't be converted is refused, and stays`() throws {
    let first = try open(Single.Thing.self)
    first.insert(Single.Thing(Single.Value(a: 1)))
    try first.save()
    for type in [Many.Thing.self, Text.Thing.self, Linked.Thing.self] as [any PersistentModel.Type]
    {
      let error = #expect(throws: SwiftDataError.self) { try open(type) }
      #expect(error?.kind == .loadIssueModelContainer)
      #expect(error?.message.contains("Thing.value") == true)
    }
    let context = try open(Single.Thing.self)
    let things = try context.fetch(FetchDescriptor<Single.Thing>())
    #expect(things.map(\.value?.a) == [1])
    things.first?.value = nil
    try context.save()
    // Where there is no value, nothing has to be converted.
    let many = try open(Many.Thing.self).fetch(FetchDescriptor<Many.Thing>())
    #expect(many.map { $0.value == nil } == [true])
  }

  enum InferredPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [ByParts.self, Whole.self] }
    static var stages: [MigrationStage] { [] }
  }

  enum StagePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [ByParts.self, Whole.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: ByParts.self,
          toVersion: Whole.self,
          willMigrate: { context in
            let count = try context.fetchCount(FetchDescriptor<ByParts.Thing>())
            #expect(count == 3)
          },
          didMigrate: { context in
            for thing in try context.fetch(FetchDescriptor<Whole.Thing>()) {
              #expect(thing.value.a == 1)
            }
          }
        )
      ]
    }
  }

  enum Kind: Codable {
    case first, second
  }

  enum ByParts: VersionedSchema {
    static let versionIdentifier = SwiftData.Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Thing.self, Heir.self] }

    struct Inner: Codable, Hashable {
      var x: Double
      var y: Bool?
    }

    struct Value: Codable, Hashable {
      var a: Int
      var b: String
      var day: Date
      var id: UUID
      var data: Data
      var price: Decimal?
      var link: URL?
      var kind: Kind
      var list: [Int]
      var inner: Inner?
    }

    @Model class Thing {
      var value: Value
      var spare: Value?

      init(_ value: Value) {
        self.value = value
        spare = value
      }
    }

    @Model final class Heir: Thing {
      var more: Value?

      override init(_ value: Value) {
        more = value
        super.init(value)
      }
    }
  }

  enum Whole: VersionedSchema {
    static let versionIdentifier = SwiftData.Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Thing.self, Heir.self] }

    struct Inner: Codable, Hashable {
      var x: Double
      var y: Bool?
    }

    /// A class, which has no columns of its own.
    final class Value: Codable {
      let a: Int
      let b: String
      let day: Date
      let id: UUID
      let data: Data
      let price: Decimal?
      let link: URL?
      let kind: Kind
      let list: [Int]
      let inner: Inner?

      func isEqual(_ parts: ByParts.Value) -> Bool {
        a == parts.a && b == parts.b && day == parts.day && id == parts.id && data == parts.data
          && price == parts.price && link == parts.link && kind == parts.kind && list == parts.list
          && inner?.x == parts.inner?.x && inner?.y == parts.inner?.y
      }
    }

    @Model class Thing {
      var value: Value
      var spare: Value?

      init(_ value: Value) {
        self.value = value
        spare = value
      }
    }

    @Model final class Heir: Thing {
      var more: Value?

      override init(_ value: Value) {
        more = value
        super.init(value)
      }
    }
  }

  enum Flat {
    struct Inner: Codable {
      var x: Int
    }
    struct Outer: Codable {
      var name: String
      var inner: Inner
    }
    @Model final class Thing {
      var outer: Outer
      init(_ outer: Outer) { self.outer = outer }
    }
  }

  enum Deep {
    /// A class, which has no columns of its own.
    final class Inner: Codable {
      let x: Int
    }
    struct Outer: Codable {
      var name: String
      var inner: Inner
    }
    @Model final class Thing {
      var outer: Outer
      init(_ outer: Outer) { self.outer = outer }
    }
  }

  enum Raw {
    enum Level: String, Codable {
      case low, high
    }
    @Model final class Thing {
      var level: Level
      init(_ level: Level) { self.level = level }
    }
  }

  enum Rich {
    struct Level: Codable {
      var name: String
      init(name: String) { self.name = name }
      init(from decoder: any Decoder) throws {
        name = try decoder.singleValueContainer().decode(String.self)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
      }
    }
    @Model final class Thing {
      var level: Level = Level(name: "low")
      init(_ level: Level) { self.level = level }
    }
  }

  enum Keyed {
    struct Level: Codable {
      var name: String
      var rank: Int
    }
    @Model final class Thing {
      var level: Level = Level(name: "low", rank: 0)
      init(_ level: Level) { self.level = level }
    }
  }

  enum Words {
    @Model final class Thing {
      var level: [Int] = []
      init() {}
    }
  }

  enum Single {
    struct Value: Codable {
      var a: Int
    }
    @Model final class Thing {
      var value: Value?
      init(_ value: Value) { self.value = value }
    }
  }

  enum Many {
    @Model final class Thing {
      var value: [Single.Value]?
      init() {}
    }
  }

  enum Text {
    @Model final class Thing {
      var value: String?
      init() {}
    }
  }

  enum Linked {
    @Model final class Thing {
      var value: Other?
      init() {}
    }
    @Model final class Other {
      var a: Int
      init(a: Int) { self.a = a }
    }
  }
}
