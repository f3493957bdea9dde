import SwiftData
import Testing

// Models that can be encoded and decoded themselves, and relationships to them.

@Model final class Chef: Codable {
  var name: String
  var mentor: Chef?
  var kitchen: Kitchen
  var dishes: [Dish] = []

  init(name: String, kitchen: Kitchen) {
    self.name = name
    self.kitchen = kitchen
  }

  private enum CodingKeys: CodingKey {
    case name, kitchen
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    kitchen = try container.decode(Kitchen.self, forKey: .kitchen)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(kitchen, forKey: .kitchen)
  }
}

@Model final class Kitchen: Codable {
  var place: String

  init(place: String) { self.place = place }

  private enum CodingKeys: CodingKey {
    case place
  }

  init(from decoder: any Decoder) throws {
    place = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .place)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(place, forKey: .place)
  }
}

@Model final class Dish: Encodable {
  var name: String
  var recipe: Recipe?
  @Relationship(inverse: \Chef.dishes) var chef: Chef?

  init(name: String) { self.name = name }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

@Model final class Recipe: Decodable {
  var text: String
  var dish: Dish?

  init(text: String) { self.text = text }

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }
}

@Suite struct `Models that are Codable` {
  @Test func `are what relationships lead to`() throws {
    let container = try ModelContainer(
      for: Chef.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    let chef = try JSONDecoder().decode(
      Chef.self,
      from: Data(#"{"name":"Ann","kitchen":{"place":"Oslo"}}"#.utf8)
    )
    context.insert(chef)
    chef.mentor = Chef(name: "Bob", kitchen: chef.kitchen)
    let dish = Dish(name: "Soup")
    chef.dishes.append(dish)
    dish.recipe = Recipe(text: "Stir.")
    try context.save()

    let other = ModelContext(container)
    let name = "Ann"
    let found = try other.fetch(FetchDescriptor<Chef>(predicate: #Predicate { $0.name == name }))
    let read = try #require(found.first)
    #expect(read.kitchen.place == "Oslo")
    #expect(read.mentor?.name == "Bob")
    #expect(read.mentor?.kitchen === read.kitchen)
    #expect(read.dishes.first?.recipe?.text == "Stir.")
    #expect(read.dishes.first?.chef === read)
    read.mentor = nil
    read.kitchen = Kitchen(place: "Bergen")
    try other.save()
    let text = String(decoding: try JSONEncoder().encode(read), as: UTF8.self)
    #expect(text.contains("Bergen"))
  }
}
