import DepotProtocol
import Foundation
import Testing

@testable import SwiftData

/// Structures whose `Codable` conformances aren't the compiler's.
@Suite struct `Conformances of structures` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ type: any PersistentModel.Type) throws -> ModelContext {
    let configuration = ModelConfiguration(url: try folder.store())
    return ModelContext(try ModelContainer(for: Schema([type]), configurations: [configuration]))
  }

  private func attribute(
    _ context: ModelContext,
    _ entity: String,
    _ name: String
  ) throws
    -> DepotProtocol.Attribute?
  {
    let stored = try #require(context.container.stores.first).connect().schema()
    return stored[entity]?.attributes.first { $0.name == name }
  }

  private func codec<Content>(_ type: Content.Type) -> AttributeCodec { .of(type, nil) }

  @Test func `a part is stored by the name of its key`() throws {
    let first = try open(Old.Person.self)
    first.insert(Old.Person(Old.Name(first: "Ada", last: "Lovelace")))
    try first.save()

    let context = try open(Renamed.Person.self)
    let ada = try #require(try context.fetch(FetchDescriptor<Renamed.Person>()).first)
    #expect(ada.name == Renamed.Name(given: "Ada", last: "Lovelace"))
    #expect(ada.nick == Renamed.Name(given: "Ada", last: "Lovelace"))
    ada.name.given = "Augusta"
    ada.nick?.given = "Augusta"
    context.insert(Renamed.Person(Renamed.Name(given: "Grace", last: "Hopper")))
    try context.save()
    let names = try context.fetch(
      FetchDescriptor<Renamed.Person>(
        predicate: #Predicate { $0.name.given == "Augusta" && $0.nick?.given == "Augusta" },
        sortBy: [.init(\.name.given)]
      )
    )
    #expect(names.map(\.name.last) == ["Lovelace"])
    let again = try open(Old.Person.self).fetch(
      FetchDescriptor<Old.Person>(sortBy: [.init(\.name.first)])
    )
    #expect(again.map(\.name.first) == ["Augusta", "Grace"])
    #expect(again.map(\.nick?.last) == ["Lovelace", "Hopper"])
  }

  @Test func `a column that was named by the property is taken over`() throws {
    let first = try open(Plain.Person.self)
    first.insert(Plain.Person(Plain.Name(given: "Ada", last: "Lovelace")))
    try first.save()
    let person = try #require(
      try open(Renamed.Person.self).fetch(FetchDescriptor<Renamed.Person>()).first
    )
    #expect(person.name == Renamed.Name(given: "Ada", last: "Lovelace"))
    #expect(person.nick == Renamed.Name(given: "Ada", last: "Lovelace"))
  }

  @Test func `a property without a key isn't stored`() throws {
    let before = try open(Shown.Account.self)
    before.insert(Shown.Account(Shown.Login(user: "ada", password: "clear", stamp: nil)))
    try before.save()

    let context = try open(Hidden.Account.self)
    let login = try #require(try attribute(context, "Account", "login"))
    let parts = login.properties.filter { !$0.options.contains(.transient) }
    #expect(parts.map(\.name) == ["user"])
    #expect(login.type == .composite)
    context.insert(Hidden.Account(Hidden.Login(user: "bob", password: "secret", stamp: "s")))
    try context.save()
    let accounts = try open(Hidden.Account.self).fetch(
      FetchDescriptor<Hidden.Account>(sortBy: [.init(\.login.user)])
    )
    #expect(accounts.map(\.login.user) == ["ada", "bob"])
    #expect(accounts.map(\.login.password) == ["none", "none"])
    #expect(accounts.map(\.spare?.password) == ["none", "none"])
    #expect(Set(accounts.map(\.login.id)).count == 2)
    // Neither does a program that had a column for it find it.
    let after = try open(Shown.Account.self).fetch(FetchDescriptor<Shown.Account>())
    #expect(after.allSatisfy { $0.login.password == "old" && $0.login.stamp == nil })
  }

  @Test func `what refuses to be encoded isn't saved`() throws {
    let context = try open(Checked.Order.self)
    let order = Checked.Order(Checked.Amount(value: 1))
    context.insert(order)
    try context.save()
    order.amount.value = -1
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.message.contains("negative") == true)
    #expect(error?.property == "amount")
    context.rollback()
    context.insert(Checked.Order(Checked.Amount(value: -2)))
    #expect(throws: SwiftDataError.self) { try context.save() }
    let values = try open(Checked.Order.self).fetch(FetchDescriptor<Checked.Order>())
    #expect(values.map(\.amount.value) == [1])
  }

  @Test func `a missing part is what the structure says`() throws {
    let first = try open(Short.Box.self)
    first.insert(Short.Box(Short.Size(width: 1)))
    try first.save()
    let context = try open(Tolerant.Box.self)
    let box = try #require(try context.fetch(FetchDescriptor<Tolerant.Box>()).first)
    let expected = Tolerant.Size(width: 1, height: 5, unit: "cm")
    #expect(box.size == expected)
    #expect(box.spare == expected)
    let found = try context.fetchCount(
      FetchDescriptor<Tolerant.Box>(
        predicate: #Predicate {
          $0.size.height == 5 && $0.size.unit == "cm" && $0.spare?.height == 5
        }
      )
    )
    #expect(found == 1)
  }

  @Test func `conformances that do as the compiler's are known`() throws {
    func isSynthesized<Content: Codable>(_ type: Content.Type) throws -> Bool {
      let fields = try #require(StoredField.all(of: type))
      let shape = PartsShape(type, fields.enumerated().map { CompositeField.make($1, $0) })
      return try #require(shape).isSynthesized
    }
    #expect(try isSynthesized(Point.self))
    #expect(try isSynthesized(Address.self))
    #expect(try isSynthesized(Many.self))
    #expect(try !isSynthesized(Renamed.Name.self))
    #expect(try !isSynthesized(Hidden.Login.self))
    #expect(try !isSynthesized(Tolerant.Size.self))
    #expect(try !isSynthesized(Route.self))
  }

  @Test func `conformances that change values, or leave some out, are stored as a whole`() throws {
    #expect(codec(Shouting.self).attribute.type == .json)
    #expect(codec(Swapped.self).attribute.type == .json)
    #expect(codec(Sparse.self).attribute.type == .json)
    #expect(codec(Listed.self).attribute.type == .json)
    #expect(codec(Nested.self).attribute.type == .json)
    let context = try open(Mixed.self)
    context.insert(Mixed())
    try context.save()
    let mixed = try #require(try open(Mixed.self).fetch(FetchDescriptor<Mixed>()).first)
    #expect(mixed.shouting.text == "LOUD")
    #expect(mixed.swapped.a == 1)
    #expect(mixed.swapped.b == 2)
    #expect(mixed.sparse.text == "")
    #expect(mixed.listed.numbers == [3, 4])
    #expect(mixed.nested.x == 7)
    #expect(mixed.tree.children.map(\.name) == ["leaf"])
    #expect(mixed.tree.children.first?.children.isEmpty == true)
  }

  enum Old {
    struct Name: Codable, Hashable {
      var first: String
      var last: String
    }

    @Model final class Person {
      var name: Name
      var nick: Name?
      init(_ name: Name) {
        self.name = name
        nick = name
      }
    }
  }

  enum Plain {
    struct Name: Codable, Hashable {
      var given: String
      var last: String
    }

    @Model final class Person {
      var name: Name
      var nick: Name?
      init(_ name: Name) {
        self.name = name
        nick = name
      }
    }
  }

  enum Renamed {
    struct Name: Codable, Hashable {
      var given: String
      var last: String

      enum CodingKeys: String, CodingKey {
        case given = "first"
        case last
      }
    }

    @Model final class Person {
      var name: Name
      var nick: Name?
      init(_ name: Name) {
        self.name = name
        nick = name
      }
    }
  }

  enum Shown {
    struct Login: Codable {
      var user: String
      var password: String?
      var stamp: String?
    }

    @Model final class Account {
      var login: Login = Login(user: "", password: "old", stamp: nil)
      var spare: Login?
      init(_ login: Login) {
        self.login = login
        spare = login
      }
    }
  }

  enum Hidden {
    struct Login: Codable {
      var user: String
      var password = "none"
      var stamp: String?
      var id = UUID()

      init(user: String, password: String, stamp: String?) {
        self.user = user
        self.password = password
        self.stamp = stamp
      }

      enum CodingKeys: CodingKey {
        case user
      }
    }

    @Model final class Account {
      var login: Login
      var spare: Login?
      init(_ login: Login) {
        self.login = login
        spare = login
      }
    }
  }

  enum Checked {
    struct Amount: Codable {
      var value: Int
      var unit = "EUR"

      init(value: Int) { self.value = value }

      func encode(to encoder: any Encoder) throws {
        struct Negative: Error { let negative: Int }
        if value < 0 { throw Negative(negative: value) }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
        try container.encode(unit, forKey: .unit)
      }
    }

    @Model final class Order {
      var amount: Amount
      init(_ amount: Amount) { self.amount = amount }
    }
  }

  enum Short {
    struct Size: Codable {
      var width: Int
    }

    @Model final class Box {
      var size: Size
      var spare: Size?
      init(_ size: Size) {
        self.size = size
        spare = size
      }
    }
  }

  enum Tolerant {
    struct Size: Codable, Hashable {
      var width: Int
      var height: Int
      var unit: String

      init(width: Int, height: Int, unit: String) {
        self.width = width
        self.height = height
        self.unit = unit
      }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        width = try container.decode(Int.self, forKey: .width)
        height = try container.decodeIfPresent(Int.self, forKey: .height) ?? 5
        unit = (try? container.decode(String.self, forKey: .unit)) ?? "cm"
      }
    }

    @Model final class Box {
      var size: Size
      var spare: Size?
      init(_ size: Size) {
        self.size = size
        spare = size
      }
    }
  }

  struct Many: Codable {
    var flag: Bool
    var other: Bool
    var count: UInt64
    var small: Int8?
    var price: Decimal
    var link: URL
    var id: UUID?
    var bytes: Data
    var moment: Date
    var grade: Grade
    var kind: Kind
    var tags: [String]
    var set: Set<Int>
    var map: [String: Double]
    var points: [Point]
    var point: Point?
    var duration: Duration
  }

  struct Shouting: Codable {
    var text: String
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(text.uppercased(), forKey: .text)
    }
  }

  struct Swapped: Codable {
    var a: Int
    var b: Int
    enum CodingKeys: CodingKey { case a, b }
    init(a: Int, b: Int) { (self.a, self.b) = (a, b) }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      a = try container.decode(Int.self, forKey: .b) - 1
      b = try container.decode(Int.self, forKey: .a)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(b, forKey: .a)
      try container.encode(a + 1, forKey: .b)
    }
  }

  struct Sparse: Codable {
    var text = ""
    enum CodingKeys: CodingKey { case text }
    init() {}
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      text = try container.decodeIfPresent(String.self, forKey: .text) ?? ""
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      if !text.isEmpty { try container.encode(text, forKey: .text) }
    }
  }

  struct Listed: Codable {
    var numbers: [Int]
    init(numbers: [Int]) { self.numbers = numbers }
    init(from decoder: any Decoder) throws {
      numbers = try decoder.singleValueContainer().decode([Int].self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(numbers)
    }
  }

  struct Nested: Codable {
    var x: Int
    enum CodingKeys: CodingKey { case inner }
    enum InnerKeys: CodingKey { case x }
    init(x: Int) { self.x = x }
    init(from decoder: any Decoder) throws {
      x = try decoder.container(keyedBy: CodingKeys.self)
        .nestedContainer(keyedBy: InnerKeys.self, forKey: .inner).decode(Int.self, forKey: .x)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      var inner = container.nestedContainer(keyedBy: InnerKeys.self, forKey: .inner)
      try inner.encode(x, forKey: .x)
    }
  }

  struct Tree: Codable {
    var name: String
    var children: [Tree] = []
  }

  @Model final class Mixed {
    var shouting: Shouting = Shouting(text: "loud")
    var swapped: Swapped = Swapped(a: 1, b: 2)
    var sparse: Sparse = Sparse()
    var listed: Listed = Listed(numbers: [3, 4])
    var nested: Nested = Nested(x: 7)
    var tree: Tree = Tree(name: "root", children: [Tree(name: "leaf")])

    init() {}
  }
}
