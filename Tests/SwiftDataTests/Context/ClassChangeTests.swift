import Testing

@testable import SwiftData

@Model class Hull {
  @Attribute(.unique) var name: String
  var length = 0

  init(name: String) { self.name = name }
}

@Model final class Tanker: Hull {
  var tons = 0

  init(name: String, tons: Int) {
    self.tons = tons
    super.init(name: name)
  }
}

/// New objects that take over the rows of objects of another class with the same unique value.
@Suite struct `An object of another class in the same row` {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(storing: Hull.self, Tanker.self)
    context = ModelContext(container)
    let writer = ModelContext(container)
    writer.insert(Tanker(name: "A", tons: 3))
    try writer.save()
  }

  @Test(arguments: [MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .rollback])
  func `fetches have objects of the row's class`(policy: MergePolicy) throws {
    context.mergePolicy = policy
    let hull = Hull(name: "A")
    hull.length = 7
    context.insert(hull)
    try context.save()
    for _ in 0..<2 {
      let found = try context.fetch(FetchDescriptor<Hull>())
      #expect(found.map(\.name) == ["A"])
      #expect((found.first as? Tanker)?.tons == 3)
      #expect(found.first?.modelContext === context)
    }
    #expect(hull.name == "A")
    #expect(hull.modelContext == nil)
  }
}
