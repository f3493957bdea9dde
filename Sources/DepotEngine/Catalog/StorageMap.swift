package import DepotProtocol

/// The facts about how a schema is stored that it doesn't say itself, kept beside it.
package struct StorageMap: Hashable, Sendable {
  /// The number by which the rows of each entity are told apart in their table.
  private(set) var numbers: [String: Int] = [:]
  private var nextNumber = 1

  /// The column that holds the number of a row's entity.
  static let kindColumn = "kind"

  package init() {}

  /// Gives numbers to new entities of a schema, and drops the numbers of removed ones.
  package mutating func adapt(to schema: Schema) {
    for entity in schema.entities where numbers[entity.name] == nil {
      numbers[entity.name] = nextNumber
      nextNumber += 1
    }
    numbers = numbers.filter { schema[$0.key] != nil }
  }

  /// Returns the map after a migration, before it is adapted to the new schema.
  ///
  /// `entities` has the old name of each entity that stays, by its new one.
  func migrated(entities: [String: String]) -> StorageMap {
    var result = self
    result.numbers = entities.compactMapValues { numbers[$0] }
    return result
  }

  func number(of entity: String) -> Int { numbers[entity] ?? 0 }
}

extension StorageMap {
  /// Reads the map that ``json`` wrote; `nil` if it is damaged.
  init?(parsing text: String) {
    guard let value = try? JSONValue(parsing: text.utf8),
      let entities = value["entities"]?.object, let next = value["next"]?.int64
    else { return nil }
    numbers = entities.compactMapValues { $0.int64.map { Int($0) } }
    nextNumber = Int(next)
  }

  /// The map as compact JSON.
  var json: String {
    JSONValue.object([
      "entities": .object(numbers.mapValues { .int64(Int64($0)) }),
      "next": .int64(Int64(nextNumber)),
    ]).text
  }
}
