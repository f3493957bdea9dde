import Testing

@testable import SwiftData

/// Objects that have ended while somebody keeps their values.
@Suite struct `Values that outlive their object` {
  private let fixture: ContextFixture
  private var context: ModelContext { fixture.context }

  init() throws {
    fixture = try ContextFixture()
    let writer = fixture.other
    writer.insert(Gadget(name: "Clock", count: 3))
    try writer.save()
  }

  /// Fetches the object, lets it go, and keeps only what holds its values.
  private func kept() throws -> any BackingData<Gadget> {
    try #require(context.fetch(FetchDescriptor<Gadget>()).first).persistentBackingData
  }

  @Test func `the object isn't registered any more`() throws {
    let data = try kept()
    let identifier = try #require(data.persistentModelID)
    let found: Gadget? = context.registeredModel(for: identifier)
    #expect(found == nil)
    #expect(data.getValue(forKey: \.name) == "Clock")
  }

  @Test func `another object takes the place in fetches`() throws {
    let data = try kept()
    let found = try context.fetch(FetchDescriptor<Gadget>())
    #expect(found.map(\.name) == ["Clock"])
    found[0].count = 4
    try context.save()
    let again: Gadget = try context.existingModel(for: found[0].persistentModelID)
    #expect(again === found[0])
    #expect(data.persistentModelID == found[0].persistentModelID)
  }

  @Test func `the place stays taken when the values end`() throws {
    var data: (any BackingData<Gadget>)? = try kept()
    let found = try context.fetch(FetchDescriptor<Gadget>())
    #expect(data != nil)
    data = nil
    let again: Gadget? = context.registeredModel(for: found[0].persistentModelID)
    #expect(again === found[0])
  }

  @Test func `they may outlive the context`() throws {
    func kept() throws -> any BackingData<Gadget> {
      let context = ModelContext(fixture.container)
      return try #require(context.fetch(FetchDescriptor<Gadget>()).first).persistentBackingData
    }
    let data = try kept()
    #expect(data.getValue(forKey: \.count) == 3)
  }
}
