import SwiftData
import Testing

@ModelActor private actor Keeper {
  var seen = 0

  func keep() throws {
    modelContext.insert(Harbor.Quay())
    seen += 1
    try modelContext.save()
  }
}

@ModelActor private actor Collection<Model: PersistentModel> {
  func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Model>()) }
}

@ModelActor private actor Titled {
  let title: String

  init(modelContainer: ModelContainer, title: String) {
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
    self.modelContainer = modelContainer
    self.title = title
  }
}

@Suite struct ModelActorMacroTests {
  @Test func `actors work with contexts of their own`() async throws {
    let container = try ModelContainer(storing: Harbor.Quay.self)
    let keeper = Keeper(modelContainer: container)
    try await keeper.keep()
    #expect(await keeper.seen == 1)
    #expect(keeper.modelContainer === container)
    #expect(try await Collection<Harbor.Quay>(modelContainer: container).count() == 1)
    #expect(Titled(modelContainer: container, title: "x").title == "x")
  }
}
