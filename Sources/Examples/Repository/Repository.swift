import SwiftData

// One generic actor for the objects of any class, with errors that describe the mistake.

@Model final class Product {
  @Attribute(.unique) var code: String
  var title: String
  var price: Decimal
  var stock: Int

  init(code: String, title: String, price: Decimal, stock: Int) {
    self.code = code
    self.title = title
    self.price = price
    self.stock = stock
  }
}

enum RepositoryError: Error, Equatable {
  /// Nothing satisfies the predicate.
  case nothingFound(entity: String)
  /// The objects can't be stored as they are.
  case invalid(entity: String?, property: String?, reason: String)
}

/// Objects of one class.
@ModelActor actor Repository<Item: PersistentModel> {
  @discardableResult
  func insert(_ make: @Sendable () -> Item) throws -> PersistentIdentifier {
    let item = make()
    modelContext.insert(item)
    try save()
    return item.persistentModelID
  }

  /// Changes all objects that satisfy a predicate; that there is none is an error.
  @discardableResult
  func update(
    _ predicate: Predicate<Item>,
    _ change: @Sendable (Item) -> Void
  ) throws -> Int {
    let items = try modelContext.fetch(FetchDescriptor(predicate: predicate))
    if items.isEmpty { throw RepositoryError.nothingFound(entity: "\(Item.self)") }
    for item in items { change(item) }
    try save()
    return items.count
  }

  func fetch<Row: Sendable>(
    _ descriptor: FetchDescriptor<Item> = FetchDescriptor(),
    as row: @Sendable (Item) -> Row
  ) throws -> [Row] {
    try modelContext.fetch(descriptor).map(row)
  }

  func delete(_ predicate: Predicate<Item>) throws {
    try modelContext.delete(model: Item.self, where: predicate)
    try save()
  }

  func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Item>()) }

  private func save() throws {
    do {
      try modelContext.save()
    } catch let error as SwiftDataError {
      modelContext.rollback()
      throw RepositoryError.invalid(
        entity: error.entity,
        property: error.property,
        reason: error.message
      )
    }
  }
}

@main struct Program {
  static func main() async throws {
    let container = try ModelContainer(
      for: Product.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let products = Repository<Product>(modelContainer: container)
    try await products.insert { Product(code: "A1", title: "Lamp", price: 19.9, stock: 3) }
    try await products.insert { Product(code: "B2", title: "Desk", price: 249, stock: 0) }
    try await products.insert { Product(code: "C3", title: "Chair", price: 89.5, stock: 12) }

    let changed = try await products.update(#Predicate { $0.stock == 0 }) { $0.stock = 5 }
    print("\(changed) product was out of stock.")

    var descriptor = FetchDescriptor<Product>(sortBy: [SortDescriptor(\.price, order: .reverse)])
    descriptor.fetchLimit = 2
    for line in try await products.fetch(descriptor, as: { "\($0.code) \($0.title) \($0.price)" }) {
      print(line)
    }

    do {
      try await products.update(#Predicate { $0.code == "Z9" }) { $0.stock = 1 }
    } catch RepositoryError.nothingFound(let entity) {
      print("There is no such \(entity).")
    }

    try await products.delete(#Predicate { $0.price > 200 })
    print("\(try await products.count()) products are left.")
  }
}
