internal import DepotProtocol
internal import FoundationEssentials

/// A store of SwiftData or Core Data whose rows are read in terms of a schema.
///
/// The identifier of a row is its primary key in its table. A property `firstName` is in the column
/// `ZFIRSTNAME`.
final class AppleStore {
  /// The number of omitted references to missing rows.
  private(set) var danglingCount = 0

  private let tables: AppleTables
  private let schema: Schema
  private let support: AppleSupport
  private var links: [String: [Int64: [Int64]]] = [:]
  private var keys: [String: Set<Int64>] = [:]
  private var externals: [String: Set<String>] = [:]
  /// The number of rows of each entity with a value in each column, by table.
  private var uses: [String: [String: [Int64: Int]]] = [:]

  /// Creates a reader of tables.
  ///
  /// - Parameters:
  ///   - tables: The tables.
  ///   - schema: The schema that the rows are read with.
  ///   - support: The folder of the values that are stored in files of their own.
  /// - Throws: ``DepotError`` `request.usage` if the schema has no entity that the store has.
  init(_ tables: AppleTables, _ schema: Schema, support: AppleSupport) throws(DepotError) {
    self.tables = tables
    self.schema = schema
    self.support = support
    let names = Set(tables.entities.map(\.name))
    guard schema.entities.contains(where: { names.contains(Self.name($0)) }) else {
      throw DepotError(.usage, "The store has none of the schema's entities.")
        .hint("It has \(tables.entities.map(\.name).joined(separator: ", ")).")
    }
  }

  /// The name of an entity in the store, which may be its original name.
  private static func name(_ entity: Entity) -> String { entity.originalName ?? entity.name }

  private func entity(_ name: String) -> AppleEntity? {
    guard let entity = schema[name] else { return nil }
    return tables.entities.first { $0.name == entity.name }
      ?? tables.entities.first { $0.name == Self.name(entity) }
  }

  /// Passes the identifiers of rows and the JSON of their values to a function.
  ///
  /// - Throws: ``DepotError`` `request.type` of a value that isn't of its attribute's type, with its place.
  func fetch(
    _ request: FetchRequest,
    _ body: (Int64, [String: [UInt8]]) throws -> Void
  ) throws {
    let wanted = try schema.entity(named: request.entity)
    let names =
      [wanted.name]
      + (request.includesSubentities ? schema.descendants(of: wanted.name).map(\.name) : [])
    let entities = names.compactMap { name in entity(name).map { (name, $0) } }
    guard let table = entities.first?.1.table else { return }
    let numbers = Dictionary(entities.map { ($0.1.number, $0.0) }) { first, _ in first }
    let paths = try (request.select ?? []).map { try property($0, of: wanted, in: table) }
    try tables.rows(table) { row in
      guard let key = row["Z_PK"]?.integer, let number = row["Z_ENT"]?.integer,
        numbers[number] != nil
      else { return }
      var values: [String: [UInt8]] = [:]
      for path in paths {
        do {
          values[path.name] = try json(path, key, row)
        } catch let error as DepotError {
          throw error.at("\(wanted.name)/\(key), \(path.name)")
        }
      }
      try body(key, values)
    }
  }

  /// A property with its column.
  private struct Property {
    var name: String
    var column: String
    var attribute: Attribute?
    var relationship: Relationship?
    /// Whether values begin with a byte that says where they are stored.
    var isExternal = false
  }

  private func property(_ path: String, of entity: Entity, in table: String) throws -> Property {
    guard let field = schema.fields(of: entity).first(where: { $0.path == path }) else {
      let relationship = schema.relationships(of: entity).first { $0.name == path }
      return Property(name: path, column: "", relationship: relationship)
    }
    if let relationship = field.relationship {
      return Property(
        name: path,
        column: try column(path, relationship.originalName, of: field.owner, in: table),
        relationship: relationship
      )
    }
    let attribute = field.attribute
    let column = try column(path, attribute.originalName, of: field.owner, in: table)
    var isExternal = attribute.options.contains(.externalStorage)
    if attribute.type == .data, try externalColumns(table).contains(column) { isExternal = true }
    return Property(name: path, column: column, attribute: attribute, isExternal: isExternal)
  }

  /// Returns the column of a property that an entity declares.
  ///
  /// If several entities of a hierarchy have a property of one name, each has a column with a
  /// number after the name. Only the rows tell which column belongs to which entity.
  private func column(
    _ path: String,
    _ original: String?,
    of owner: String,
    in table: String
  ) throws -> String {
    var name = Self.column(path)
    if let original, !tables.has(name, in: table) { name = Self.column(original) }
    let others = (1...9).map { "\(name)\($0)" }.filter { tables.has($0, in: table) }
    guard !others.isEmpty else { return name }
    // A property's own name may end with a number, such as address2 beside address.
    let own = try columnsOfProperties(in: table)
    let columns = [name] + others.filter { !own.contains($0) }
    guard columns.count > 1 else { return name }
    let names = [owner] + schema.descendants(of: owner).map(\.name)
    let numbers = names.compactMap { entity($0)?.number }
    let used = try use(of: table)
    let counts = columns.map { column in
      numbers.reduce(0) { $0 + (used[column]?[$1] ?? 0) }
    }
    return columns[counts.firstIndex { $0 > 0 } ?? 0]
  }

  /// The columns named exactly as properties of any entity in a table.
  private func columnsOfProperties(in table: String) throws -> Set<String> {
    let entities = schema.entities.filter { self.entity($0.name)?.table == table }
    let names = entities.flatMap { entity in
      entity.ownFields.flatMap { [$0.path, $0.attribute.originalName ?? $0.path] }
        + entity.relationships.flatMap { [$0.name, $0.originalName ?? $0.name] }
    }
    return Set(names.map(Self.column))
  }

  /// The column of a property by its name; the parts of a composite have columns of their own.
  private static func column(_ path: String) -> String {
    "Z" + path.split(separator: ".").joined(separator: "_").uppercased()
  }

  private func use(of table: String) throws -> [String: [Int64: Int]] {
    if let known = uses[table] { return known }
    var found: [String: [Int64: Int]] = [:]
    try tables.rows(table) { row in
      guard let entity = row["Z_ENT"]?.integer else { return }
      for (column, value) in row where value != .null {
        found[column, default: [:]][entity, default: 0] += 1
      }
    }
    uses[table] = found
    return found
  }

  /// Returns the columns of a table whose values may be in files of their own.
  ///
  /// A column is one if a value names such a file, or if there is a folder for such files and all
  /// its values have the mark of a value stored in the row.
  private func externalColumns(_ table: String) throws -> Set<String> {
    if let known = externals[table] { return known }
    var (found, marked, plain): (Set<String>, Set<String>, Set<String>) = ([], [], [])
    try tables.rows(table) { row in
      for (name, value) in row {
        guard let data = value.data else { continue }
        if AppleSupport.name(data) != nil {
          found.insert(name)
        } else if data.first == 1 {
          marked.insert(name)
        } else {
          plain.insert(name)
        }
      }
    }
    if support.exists { found.formUnion(marked.subtracting(plain)) }
    externals[table] = found
    return found
  }

  private func json(
    _ property: Property,
    _ key: Int64,
    _ row: [String: PlainValue]
  ) throws -> [UInt8] {
    var writer = JSONWriter()
    if let relationship = property.relationship {
      try write(relationship, property, key, row, to: &writer)
    } else if let attribute = property.attribute {
      var value = row[property.column] ?? .null
      if property.isExternal, let data = value.data { value = .data(try support.value(of: data)) }
      writer.write(try AppleValue.value(value, of: attribute))
    }
    return writer.bytes
  }

  // MARK: Relationships

  private func write(
    _ relationship: Relationship,
    _ property: Property,
    _ key: Int64,
    _ row: [String: PlainValue],
    to writer: inout JSONWriter
  ) throws {
    let known = try keys(of: relationship.destination)
    guard relationship.isToMany else {
      guard let target = row[property.column]?.integer else { return writer.raw("null") }
      if known.contains(target) { return writer.integer(target) }
      danglingCount += 1
      return writer.raw("null")
    }
    let targets = try targets(of: relationship)[key] ?? []
    let found = targets.filter(known.contains)
    danglingCount += targets.count - found.count
    writer.array(found) { $0.integer($1) }
  }

  /// The primary keys of all rows that a relationship to an entity may refer to.
  private func keys(of name: String) throws -> Set<Int64> {
    if let known = keys[name] { return known }
    var found: Set<Int64> = []
    try fetch(FetchRequest(entity: name, select: [])) { key, _ in found.insert(key) }
    keys[name] = found
    return found
  }

  /// The destinations of a to-many relationship for each row.
  private func targets(of relationship: Relationship) throws -> [Int64: [Int64]] {
    let owners = schema.entities.filter { $0.relationships.contains(relationship) }
    let name = owners.map(\.name).joined(separator: ",") + "." + relationship.name
    if let known = links[name] { return known }
    let found = try readTargets(of: relationship, owners)
    links[name] = found
    return found
  }

  private func readTargets(
    of relationship: Relationship,
    _ owners: [Entity]
  ) throws -> [Int64: [Int64]] {
    let (own, other) = (relationship.name.uppercased(), relationship.inverse?.uppercased())
    if let inverse = schema.inverse(of: relationship)?.relationship, !inverse.isToMany,
      let target = entity(relationship.destination)
    {
      // The rows on the other side have the key of this one, and perhaps an order.
      let owner = schema.inverse(of: relationship)?.owner.name ?? relationship.destination
      let column = try column(inverse.name, inverse.originalName, of: owner, in: target.table)
      let order = "Z_FOK_" + inverse.name.uppercased()
      var found: [Int64: [(order: Int64, key: Int64)]] = [:]
      try tables.rows(target.table) { row in
        guard let key = row["Z_PK"]?.integer, let source = row[column]?.integer else { return }
        found[source, default: []].append((row[order]?.integer ?? 0, key))
      }
      return found.mapValues { $0.sorted { ($0.order, $0.key) < ($1.order, $1.key) }.map(\.key) }
    }
    let lineage = Set(owners.flatMap { [$0.name] + schema.descendants(of: $0.name).map(\.name) })
    let sources = Set(tables.entities.filter { lineage.contains($0.name) }.map(\.number))
    for join in AppleJoin.all(in: tables) {
      if sources.contains(join.source.number), join.name == own {
        return try join.links(tables, isInverse: false)
      }
      if sources.contains(join.destination.number), let other, join.name == other {
        return try join.links(tables, isInverse: true)
      }
    }
    return [:]
  }
}
