import Testing

@testable import SwiftData

@Suite struct `Subclasses that a program doesn't know` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(types),
        configurations: ModelConfiguration(url: folder.store())
      )
    )
  }

  @Test func `may have properties of the names that others have`() throws {
    let whole = try open(Whole.Animal.self, Whole.Cat.self, Whole.Dog.self)
    whole.insert(Whole.Cat(name: "Mia", color: "grey", size: Whole.Size(width: 1, height: 2)))
    whole.insert(Whole.Dog(name: "Rex", color: 7))
    try whole.save()
    let part = try open(Part.Animal.self, Part.Cat.self)
    let animals = try part.fetch(FetchDescriptor<Part.Animal>(sortBy: [.init(\.name)]))
    #expect(animals.map(\.name) == ["Mia", "Rex"])
    #expect(animals.map { ($0 as? Part.Cat)?.color } == ["grey", nil])
    #expect((animals[0] as? Part.Cat)?.size?.height == 2)
    // What it changes leaves the rest alone.
    for animal in animals { animal.name += "!" }
    try part.save()
    let again = ModelContext(whole.container)
    #expect(try again.fetch(FetchDescriptor<Whole.Dog>()).map(\.color) == [7])
    #expect(
      try again.fetch(FetchDescriptor<Whole.Animal>()).map(\.name).sorted() == ["Mia!", "Rex!"]
    )
  }

  @Test func `may come while a program runs`() throws {
    let part = try open(Part.Animal.self, Part.Cat.self)
    part.insert(Part.Cat(name: "Mia", color: "grey"))
    try part.save()
    let whole = try open(Whole.Animal.self, Whole.Cat.self, Whole.Dog.self)
    whole.insert(Whole.Dog(name: "Rex", color: 7))
    try whole.save()
    let animals = try part.fetch(FetchDescriptor<Part.Animal>(sortBy: [.init(\.name)]))
    #expect(animals.map(\.name) == ["Mia", "Rex"])
    let held = try #require(animals.first as? Part.Cat)
    #expect(held.color == "grey")
    let fresh = ModelContext(part.container)
    let identifiers = try fresh.fetchIdentifiers(FetchDescriptor<Part.Animal>())
    #expect(Set(identifiers.map(\.entityName)) == ["Cat", "Dog"])
  }

  enum Whole {
    struct Size: Codable {
      var width: Int
      var height: Int
    }

    @Model class Animal {
      var name: String

      init(name: String) { self.name = name }
    }

    @Model final class Cat: Animal {
      var color: String
      var size: Size?

      init(name: String, color: String, size: Size? = nil) {
        self.color = color
        self.size = size
        super.init(name: name)
      }
    }

    @Model final class Dog: Animal {
      var color: Int
      var size: Size?

      init(name: String, color: Int) {
        self.color = color
        super.init(name: name)
      }
    }
  }

  enum Part {
    @Model class Animal {
      var name: String

      init(name: String) { self.name = name }
    }

    @Model final class Cat: Animal {
      var color: String
      var size: Whole.Size?

      init(name: String, color: String) {
        self.color = color
        super.init(name: name)
      }
    }
  }
}
