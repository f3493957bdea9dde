package import DepotProtocol

/// What the schema doesn't say about how it is stored, kept beside it.
///
/// A row's checksum covers each column at its slot, so slots stay the same when the schema's order,
/// names, or hierarchy change.
package struct StorageMap: Hashable, Sendable {
  /// The slots of each table's columns, by the names of the root entity and the column.
  private(set) var slots: [String: [String: Int]] = [:]
  /// The next slot of each table.
  private(set) var nextSlots: [String: Int] = [:]
  /// The number by which the rows of each entity are told apart in their table.
  private(set) var numbers: [String: Int] = [:]
  private var nextNumber = 1

  /// The column that holds the number of a row's entity.
  static let kindColumn = "kind"

  package init() {}

  /// Gives slots and numbers to what is new in a schema, and forgets what it lacks.
  package mutating func adapt(to schema: Schema) {
    for entity in schema.entities where numbers[entity.name] == nil {
      numbers[entity.name] = nextNumber
      nextNumber += 1
    }
    numbers = numbers.filter { schema[$0.key] != nil }
    var wanted: [String: [String]] = [:]
    for entity in schema.entities {
      let root = schema.root(of: entity)
      if entity.parent != nil, wanted[root.name]?.first != Self.kindColumn {
        wanted[root.name, default: []].insert(Self.kindColumn, at: 0)
      }
      wanted[root.name, default: []] += schema.storedColumns(of: entity).map(\.name)
    }
    for (root, columns) in wanted {
      for column in columns where slots[root]?[column] == nil {
        let slot = nextSlots[root, default: 0]
        slots[root, default: [:]][column] = slot
        nextSlots[root] = slot + 1
      }
      slots[root] = slots[root]?.filter { columns.contains($0.key) }
    }
    slots = slots.filter { wanted[$0.key] != nil }
    nextSlots = nextSlots.filter { wanted[$0.key] != nil }
  }

  /// Where the rows of a table come from.
  struct TableOrigin {
    /// The root entity whose table they were in.
    var root: String
    /// The old name of each column that stays, by its new one.
    var columns: [String: String]
  }

  /// Returns what becomes of the map in a migration, to be adapted to the new schema.
  ///
  /// `entities` has the old name of each entity that stays, by its new one; `tables` where the rows of
  /// each root entity come from, by its new name.
  func migrated(entities: [String: String], tables: [String: TableOrigin]) -> StorageMap {
    var result = self
    result.numbers = entities.compactMapValues { numbers[$0] }
    result.slots = tables.mapValues { origin in
      origin.columns.compactMapValues { slots[origin.root]?[$0] }
    }
    result.nextSlots = tables.compactMapValues { nextSlots[$0.root] }
    return result
  }

  func slot(of column: String, in root: String) -> Int { slots[root]?[column] ?? 0 }

  func number(of entity: String) -> Int { numbers[entity] ?? 0 }
}

extension StorageMap {
  /// Reads what ``json`` wrote; `nil` if it is damaged.
  init?(parsing text: String) {
    guard let value = try? JSONValue(parsing: text.utf8), let tables = value["tables"]?.object,
      let entities = value["entities"]?.object, let next = value["next"]?.int64
    else { return nil }
    for (root, table) in tables {
      guard let columns = table["slots"]?.object, let next = table["next"]?.int64 else {
        return nil
      }
      slots[root] = columns.compactMapValues { $0.int64.map { Int($0) } }
      nextSlots[root] = Int(next)
    }
    numbers = entities.compactMapValues { $0.int64.map { Int($0) } }
    nextNumber = Int(next)
  }

  /// The map as compact JSON.
  var json: String {
    let tables = slots.map { root, columns in
      let slots = JSONValue.object(columns.mapValues { .int64(Int64($0)) })
      let next = JSONValue.int64(Int64(nextSlots[root] ?? 0))
      return (root, JSONValue.object(["slots": slots, "next": next]))
    }
    let value = JSONValue.object([
      "tables": .object(Dictionary(uniqueKeysWithValues: tables)),
      "entities": .object(numbers.mapValues { .int64(Int64($0)) }),
      "next": .int64(Int64(nextNumber)),
    ])
    var writer = JSONWriter()
    writer.write(value)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
