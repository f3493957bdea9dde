import SwiftData
import Testing

@Suite struct `The migration of a program's own store` {
  let folder: TemporaryFolder
  let configuration: MigratingConfiguration

  init() throws {
    folder = try TemporaryFolder()
    configuration = MigratingConfiguration(
      fileURL: folder.url.appendingPathComponent("addresses.json")
    )
  }

  private func fill(_ names: [String]) throws {
    let container = try ModelContainer(
      for: Schema(versionedSchema: AddressesV1.self),
      configurations: [configuration]
    )
    let context = ModelContext(container)
    for name in names {
      context.insert(AddressesV1.Contact(fullName: name, phone: name == "Cy" ? "" : "1"))
    }
    context.insert(AddressesV1.Stamp(value: 1))
    try context.save()
  }

  private func open(
    _ version: any VersionedSchema.Type,
    _ plan: any SchemaMigrationPlan.Type = AddressesPlan.self
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version),
        migrationPlan: plan,
        configurations: configuration
      )
    )
  }

  @Test func `all stages are run, with the contexts of both versions`() throws {
    try fill(["Ann", "Bob", "Cy"])
    let context = try open(AddressesV3.self)
    let contacts = try context.fetch(
      FetchDescriptor<AddressesV3.Contact>(sortBy: [SortDescriptor(\.name)])
    )
    #expect(contacts.map(\.name) == ["Ann", "Bob"])
    #expect(contacts.map(\.initial) == ["A", "B"])
    #expect(contacts.filter(\.isFriend).count == 2)
    let text = try String(contentsOf: configuration.fileURL, encoding: .utf8)
    #expect(!text.contains("fullName"))
    #expect(!text.contains("Stamp"))
  }

  @Test func `a stage may have the objects of both versions at once`() throws {
    try fill(["Ann", "Cy"])
    let context = try open(AddressesV3.self, AddressesTransform.self)
    let contacts = try context.fetch(
      FetchDescriptor<AddressesV3.Contact>(sortBy: [SortDescriptor(\.name)])
    )
    #expect(contacts.map(\.initial) == ["1", ""])
  }

  @Test func `a store of the plan's version isn't touched`() throws {
    try fill(["Ann"])
    _ = try open(AddressesV3.self)
    let before = try Data(contentsOf: configuration.fileURL)
    let context = try open(AddressesV3.self)
    #expect(try context.fetchCount(FetchDescriptor<AddressesV3.Contact>()) == 1)
    #expect(try Data(contentsOf: configuration.fileURL) == before)
  }

  @Test func `a stage that fails leaves the old store, and says why`() throws {
    try fill(["Ann", ""])
    let before = try Data(contentsOf: configuration.fileURL)
    #expect(throws: AddressesError.noName) { try open(AddressesV3.self) }
    #expect(try Data(contentsOf: configuration.fileURL) == before)
  }

  @Test func `a version that the plan doesn't have is an error`() throws {
    try fill(["Ann"])
    var text = try String(contentsOf: configuration.fileURL, encoding: .utf8)
    #expect(text.contains("\"major\":1"))
    text = text.replacingOccurrences(of: "\"major\":1", with: "\"major\":9")
    try text.write(to: configuration.fileURL, atomically: true, encoding: .utf8)
    #expect(throws: SwiftDataError.backwardMigration) { try open(AddressesV3.self) }
    text = text.replacingOccurrences(of: "\"major\":9", with: "\"major\":0")
    try text.write(to: configuration.fileURL, atomically: true, encoding: .utf8)
    #expect(throws: SwiftDataError.unknownSchema) { try open(AddressesV3.self) }
  }

  @Test func `without a plan, new properties have their default values`() throws {
    try fill(["Ann"])
    let context = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: AddressesV2.self),
        configurations: [configuration]
      )
    )
    let contact = try #require(try context.fetch(FetchDescriptor<AddressesV2.Contact>()).first)
    #expect(contact.name == "Ann")
    #expect(contact.isFriend)
  }
}
