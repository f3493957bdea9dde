import Testing

@Suite struct ModelActorTests {
  private func expand(_ source: String) throws -> Expansion {
    try Expansion(source, conforming: ["ModelActor"])
  }

  @Test func `an actor gets an executor, a container, and an initializer`() throws {
    let expansion = try expand("@ModelActor public actor Store<T> { var count = 0; var last: T? }")
    #expect(expansion.messages == [])
    #expect(
      expansion.texts.joined(separator: "\n\n") == """
        public nonisolated let modelExecutor: any SwiftData.ModelExecutor

        public nonisolated let modelContainer: SwiftData.ModelContainer

        public init(modelContainer: SwiftData.ModelContainer) {
          let modelContext = SwiftData.ModelContext(modelContainer)
          self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
          self.modelContainer = modelContainer
        }

        extension Store: SwiftData.ModelActor {}
        """
    )
  }

  @Test(arguments: [
    "init(modelContainer: ModelContainer) {}", "let name: String; init(name: String) {}",
  ])
  func `an actor that has an initializer of its own may keep it`(members: String) throws {
    let expansion = try expand("@ModelActor actor Store { \(members) }")
    #expect(expansion.messages == [])
    #expect(expansion.texts.count == 3)
  }

  @Test func `a property without a value needs an initializer`() throws {
    let expansion = try expand("@ModelActor actor Store {\n  let name: String\n}")
    #expect(
      expansion.messages == [
        "@ModelActor requires property 'name' to have a default value, or an initializer that sets "
          + "modelContainer and modelExecutor → insert an initializer"
      ]
    )
    let mended = """
      @ModelActor actor Store {
        let name: String

        init(modelContainer: ModelContainer, name: String) {
          self.modelContainer = modelContainer
          modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
          self.name = name
        }
      }
      """
    #expect(expansion.mended() == mended)
    #expect(try expand(mended).messages == [])
  }

  @Test(arguments: [
    ("class", "@ModelActor actor Store {}", " → change 'class' to 'actor' → remove '@ModelActor'"),
    (
      "struct", "@ModelActor actor Store {}", " → change 'struct' to 'actor' → remove '@ModelActor'"
    ),
    ("final class", "final class Store {}", " → remove '@ModelActor'"),
    ("enum", "enum Store {}", " → remove '@ModelActor'"),
  ])
  func `only an actor can be one`(keyword: String, mended: String, fixIts: String) throws {
    let expansion = try expand("@ModelActor \(keyword) Store {}")
    let kind = keyword.split(separator: " ").last ?? ""
    #expect(
      expansion.messages == ["'@ModelActor' cannot be applied to \(kind) type 'Store'" + fixIts]
    )
    #expect(expansion.mended() == mended)
    #expect(expansion.texts == [])
  }
}
