package import DepotProtocol

/// Facts about the storage of a schema that aren't in the schema, stored beside it.
package struct StorageMap: Hashable, Sendable {
  /// The number of each entity, which is stored in its rows.
  private(set) var numbers: [String: Int] = [:]
  private(set) var nextNumber = 1
  /// The attributes whose columns may refer to values outside the row, as `Entity.path`.
  private(set) var widened: Set<String> = []

  /// The column with the number of a row's entity.
  static let kindColumn = "kind"

  package init() {}

  init(numbers: [String: Int], nextNumber: Int, widened: Set<String>) {
    self.numbers = numbers
    self.nextNumber = nextNumber
    self.widened = widened
  }

  /// Assigns numbers to new entities of a schema, and removes facts that no longer apply.
  package mutating func adapt(to schema: Schema) {
    for entity in schema.entities where numbers[entity.name] == nil {
      numbers[entity.name] = nextNumber
      nextNumber += 1
    }
    numbers = numbers.filter { schema[$0.key] != nil }
    guard !widened.isEmpty else { return }
    let widenable = schema.entities.flatMap { entity in
      entity.ownFields.filter { schema.isWidenable($0, of: entity) }.map(Self.key)
    }
    widened.formIntersection(widenable)
  }

  /// Returns the map after a migration, before it is adapted to the new schema.
  ///
  /// `entities` maps the new names of kept entities to their old names; `hasReferences` returns
  /// whether a new field gets references from a column that is widened or external.
  func migrated(
    to schema: Schema,
    entities: [String: String],
    hasReferences: (Field, Entity) throws -> Bool
  ) rethrows -> StorageMap {
    var result = self
    result.numbers = entities.compactMapValues { numbers[$0] }
    let fields = try schema.entities.flatMap { entity in
      try entity.ownFields.filter { field in
        try schema.isWidenable(field, of: entity) && hasReferences(field, entity)
      }
    }
    result.widened = Set(fields.map(Self.key))
    return result
  }

  /// Whether there are columns with references that programs before ``CatalogTables/format``
  /// can't read.
  var hasWidenedColumns: Bool { !widened.isEmpty }

  func number(of entity: String) -> Int { numbers[entity] ?? 0 }

  /// Whether the column of a field may refer to values outside the row, though it isn't external.
  func isWidened(_ field: Field) -> Bool {
    !widened.isEmpty && field.relationship == nil && widened.contains(Self.key(field))
  }

  /// Returns the map after the column of a field was widened.
  func widening(_ field: Field) -> StorageMap {
    var result = self
    result.widened.insert(Self.key(field))
    return result
  }

  private static func key(_ field: Field) -> String { "\(field.owner).\(field.path)" }
}

extension Schema {
  /// Whether large values of a field can be stored outside the row, without external storage.
  ///
  /// An index needs the values themselves, so it excludes that.
  func isWidenable(_ field: Field, of owner: Entity) -> Bool {
    let attribute = field.attribute
    guard field.relationship == nil, [.string, .data].contains(attribute.type),
      attribute.collection == nil, attribute.derivation == nil, !attribute.isUnique,
      !attribute.isIndexed,
      attribute.options.isDisjoint(with: [.externalStorage, .ephemeral, .spotlight])
    else { return false }
    return (lineage(of: owner) + descendants(of: owner.name)).allSatisfy { entity in
      !(entity.uniques + entity.indexes).contains { $0.contains(field.path) }
    }
  }
}
