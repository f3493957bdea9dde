package import DepotProtocol

/// The storage of an entity: its table, columns, and relationships.
///
/// A full row is selected as the identifier, the version, and the ``stored`` columns.
package final class EntityLayout: Sendable {
  package let entity: Entity
  /// Whether the history keeps values of its rows, also by the policies of its ancestors.
  let historyPolicy: HistoryPolicy
  /// The root entity, whose table holds the rows.
  package let root: String
  /// The quoted name of the table.
  package let table: String
  /// The columns for clients, in the order of ``Schema/fields(of:)``.
  package let fields: [Field]
  /// The columns where rows of this entity and its descendants can have values.
  let stored: [StoredColumn]
  /// The index of each field among the stored columns; `nil` if it isn't stored.
  let storedPositions: [Int?]
  /// The index of each stored column among the fields; `nil` if no field of this entity has it.
  let fieldPositions: [Int?]
  /// The index of the stored column with the number of a row's entity.
  let kindPosition: Int?
  /// The relationships in the schema's order, including inherited ones.
  package let relationships: [RelationshipLayout]
  /// The unique constraints on its rows, including those of subentities.
  let uniques: [UniqueLayout]
  /// The optional composites, outer ones first.
  let composites: [CompositeLayout]
  /// The paths of the columns of composites with several, by the names of the attributes.
  let compositePaths: [String: [String]]
  /// The number of the entity, which is in its rows' column `kind` if ``isInHierarchy``.
  let number: Int
  /// The names of the entity and all its descendants, by their numbers.
  let numbers: [Int: String]
  /// Whether the table holds rows of several entities.
  package let isInHierarchy: Bool
  /// Whether all rows of the table are of this entity or its descendants.
  package var isRoot: Bool { root == entity.name }
  /// The names of the entity and its ancestors.
  let lineageNames: Set<String>
  /// The indexes of the columns whose values may be stored outside the row.
  let externalColumnIndices: [Int]
  private let positions: [String: Int]

  package init(_ entity: Entity, in schema: Schema, _ map: StorageMap) {
    self.entity = entity
    historyPolicy = schema.historyPolicy(of: entity)
    let rootEntity = schema.root(of: entity)
    root = rootEntity.name
    // Names were checked to be letters, digits, and underscores; the prefix distinguishes them from
    // internal tables and SQL keywords.
    table = "\"e_\(rootEntity.name)\""
    fields = schema.fields(of: entity)
    positions = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.path, $0) })
    lineageNames = Set(schema.lineage(of: entity).map(\.name))
    let family = schema.lineage(of: entity) + schema.descendants(of: entity.name)
    isInHierarchy = schema.entities.contains { $0.parent == rootEntity.name }
    let kind = StoredColumn(name: StorageMap.kindColumn, storage: .kind, isRequired: true)
    let stored =
      (isInHierarchy ? [kind] : []) + family.flatMap { schema.storedColumns(of: $0, map) }
    self.stored = stored
    let places = Dictionary(uniqueKeysWithValues: stored.enumerated().map { ($1.name, $0) })
    let storedPositions = fields.map { field in
      schema[field.owner].flatMap { owner in
        places[schema.columnName(field.relationship == nil ? "a" : "r", field.path, owner)]
      }
    }
    self.storedPositions = storedPositions
    var fieldPositions: [Int?] = Array(repeating: nil, count: stored.count)
    for (position, place) in storedPositions.enumerated() {
      if let place { fieldPositions[place] = position }
    }
    self.fieldPositions = fieldPositions
    externalColumnIndices = stored.indices.filter { place in
      stored[place].isExternal && fieldPositions[place] != nil
    }
    kindPosition = places[StorageMap.kindColumn]
    relationships = schema.lineage(of: entity).flatMap { ancestor in
      ancestor.relationships.map { schema.layout(of: $0, owner: ancestor) }
    }
    uniques = schema.uniques(of: entity, map) { places[$0] }
    composites = schema.lineage(of: entity).flatMap { owner in
      owner.optionalComposites { places[schema.columnName("a", $0, owner)] }
    }
    let paths = zip(fields, storedPositions).filter { $1 != nil }.map(\.0.path)
    compositePaths = Dictionary(grouping: paths) { path in String(path.prefix { $0 != "." }) }
      .filter { $1.count > 1 }
    number = map.number(of: entity.name)
    numbers = Dictionary(
      uniqueKeysWithValues: ([entity] + schema.descendants(of: entity.name)).map {
        (map.number(of: $0.name), $0.name)
      }
    )
  }

  package var name: String { entity.name }

  /// Whether a unique constraint applies to all rows of the entity, not only to descendants' rows.
  func isDemanded(_ unique: UniqueLayout) -> Bool { lineageNames.contains(unique.owner) }

  /// Returns the field in a stored column, or `nil`.
  func field(at place: Int) -> Field? { fieldPositions[place].map { fields[$0] } }

  /// Returns the SQL of a field in a statement where the entity's table is named `alias`.
  ///
  /// A to-one relationship that is stored in the destination's row becomes a subquery. A field that
  /// isn't stored becomes `NULL`.
  func sql(ofField position: Int, in alias: String) -> String {
    if let place = storedPositions[position] { return "\(alias).\(stored[place].quoted)" }
    guard let name = fields[position].relationship?.name,
      case .foreignColumn(let table, let column, _)? = relationship(name)?.storage
    else { return "NULL" }
    return "(SELECT id FROM \(table) AS back WHERE back.\(column) = \(alias).id)"
  }

  /// Returns the index of the field with a path, or `nil`.
  package func position(of path: String) -> Int? { positions[path] }

  /// The indexes of the stored columns, by their names.
  var columnIndicesByName: [String: Int] {
    Dictionary(uniqueKeysWithValues: stored.enumerated().map { ($1.name, $0) })
  }

  /// Returns the relationship named `name`, or `nil`.
  package func relationship(_ name: String) -> RelationshipLayout? {
    relationships.first { $0.name == name }
  }

  /// The list of columns of a full row.
  package var fullRow: String {
    (["id", "version"] + stored.map(\.quoted)).joined(separator: ", ")
  }

  /// The condition that a row of the table is of this entity, or also of a descendant.
  ///
  /// It is `nil` if all rows are.
  func kindCondition(in alias: String, includingDescendants: Bool) -> String? {
    guard isInHierarchy else { return nil }
    if !includingDescendants { return "\(alias).kind = \(number)" }
    if isRoot { return nil }
    let list = numbers.keys.sorted().map(String.init).joined(separator: ", ")
    if numbers.count == 1 { return "\(alias).kind = \(list)" }
    return "\(alias).kind IN (\(list))"
  }

  /// The condition, with a leading AND, that a row is of this entity or a descendant.
  ///
  /// It is empty if all rows of the table are.
  func kindFilter(in alias: String? = nil) -> String {
    kindCondition(in: alias ?? table, includingDescendants: true).map { " AND \($0)" } ?? ""
  }
}

/// A schema with its layouts; it never changes.
package final class Catalog: Sendable {
  package let schema: Schema
  package let storage: StorageMap
  package let fingerprint: String
  /// The number of the schema's version; statements compiled for another one are stale.
  package let generation: Int
  private let layouts: [String: EntityLayout]

  package init(_ schema: Schema, _ storage: StorageMap? = nil, generation: Int) {
    var map = storage ?? StorageMap()
    map.adapt(to: schema)
    self.schema = schema
    self.storage = map
    self.generation = generation
    fingerprint = schema.fingerprint
    layouts = Dictionary(
      uniqueKeysWithValues: schema.entities.map { [map] in
        ($0.name, EntityLayout($0, in: schema, map))
      }
    )
  }

  /// Returns the layout of the entity named `name`.
  ///
  /// - Throws: ``DepotError`` `schema.unknown_entity` with the most similar name as the hint.
  package func layout(of name: String) throws(DepotError) -> EntityLayout {
    if let layout = layouts[name] { return layout }
    _ = try schema.entity(named: name)
    throw DepotError(.bug, "The entity \"\(name)\" has no layout.")
  }

  /// Returns the layout of the entity named at `pointer` of a request.
  func layout(of name: String, at pointer: String) throws(DepotError) -> EntityLayout {
    try DepotError.at(pointer, try layout(of: name))
  }

  /// Returns the index of a quoted column name among the columns of a root entity.
  func rootPlace(of quoted: String, in root: String) -> Int? {
    (try? layout(of: root))?.stored.firstIndex { $0.quoted == quoted }
  }

  /// All layouts, in the schema's order.
  package var allLayouts: [EntityLayout] { schema.entities.compactMap { layouts[$0.name] } }

  /// The layouts of root entities, which have the tables.
  var tables: [EntityLayout] { allLayouts.filter(\.isRoot) }
}

extension EntityLayout {
  /// Returns the error for an unknown column, with the most similar name as the hint.
  func unknownAttribute(_ name: String) -> DepotError {
    let names = fields.map(\.path) + relationships.filter(\.relationship.isToMany).map(\.name)
    let nearest = Spelling.nearest(to: name, in: names + ["$id", "$version"])
    return DepotError(.unknownAttribute, "\(self.name) has no attribute \"\(name)\".")
      .hint(nearest.map { "Did you mean \"\($0)\"?" } ?? "It has \(names.joined(separator: ", ")).")
      .details(nearest.map { ["didYouMean": .string($0)] } ?? [:])
  }

  /// Returns the error for rows that don't exist.
  func missing(_ identifiers: [Int64], at pointer: String = "/args/ids") -> DepotError {
    let first = identifiers.prefix(3).map { "\(name)/\($0)" }.joined(separator: ", ")
    let message =
      identifiers.count > 3
      ? "There are no \(first), and \(identifiers.count - 3) more." : "There is no \(first)."
    return DepotError(.objectNotFound, message).at(pointer)
      .detail("entity", name).detail("missing", Array(identifiers.prefix(1000)))
  }
}
