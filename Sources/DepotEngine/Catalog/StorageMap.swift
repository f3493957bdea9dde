package import DepotProtocol

/// Facts about the storage of a schema that aren't in the schema, stored beside it.
package struct StorageMap: Hashable, Sendable {
  /// The number of each entity, which is stored in its rows.
  private(set) var numbers: [String: Int] = [:]
  private var nextNumber = 1

  /// The column with the number of a row's entity.
  static let kindColumn = "kind"

  package init() {}

  /// Assigns numbers to new entities of a schema, and removes the numbers of removed entities.
  package mutating func adapt(to schema: Schema) {
    for entity in schema.entities where numbers[entity.name] == nil {
      numbers[entity.name] = nextNumber
      nextNumber += 1
    }
    numbers = numbers.filter { schema[$0.key] != nil }
  }

  /// Returns the map after a migration, before it is adapted to the new schema.
  ///
  /// `entities` maps the new names of kept entities to their old names.
  func migrated(entities: [String: String]) -> StorageMap {
    var result = self
    result.numbers = entities.compactMapValues { numbers[$0] }
    return result
  }

  func number(of entity: String) -> Int { numbers[entity] ?? 0 }
}

extension StorageMap {
  /// Parses a map in the form of ``json``; `nil` if it is damaged.
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
