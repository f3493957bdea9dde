internal import DepotProtocol
internal import DepotSQLite
internal import Glibc

/// A table whose changes are recorded, and what the request has changed in it so far.
final class RecordedTable {
  /// The number among the recorded tables.
  let number: Int
  /// The name, not quoted.
  let name: String
  let content: Content

  enum Content {
    case rows(RecordedRows)
    case links(RecordedLinks)
  }

  /// The rows that the request has inserted, in ascending order.
  var inserts: [InsertRange] = []
  /// Whether something changed of which only that is known.
  var isDirty = false
  /// Whether changes were written into the history already.
  var wasSpilled = false
  /// Whether the request has changed anything.
  var isTouched = false
  /// The columns whose values are wanted of each row that changes.
  var wantedPlaces = PlaceSet()
  /// The values of these columns, before and after.
  private(set) var keys: [Int64: [RowKey]] = [:]
  /// Whether there are all of them.
  private(set) var hasAllKeys = true

  private let nameForC: UnsafeMutablePointer<CChar>?

  init(_ number: Int, _ name: String, _ content: Content) {
    self.number = number
    self.name = name
    self.content = content
    nameForC = strdup(name)
  }

  deinit { free(nameForC) }

  /// Whether this is the table's name.
  @inline(__always)
  func isNamed(_ name: UnsafePointer<CChar>) -> Bool {
    nameForC.map { strcmp($0, name) == 0 } ?? false
  }

  /// Forgets what the request changed.
  func reset() {
    inserts.removeAll(keepingCapacity: inserts.count < 1000)
    isDirty = false
    wasSpilled = false
    isTouched = false
    if !keys.isEmpty { keys = [:] }
    hasAllKeys = true
  }

  /// Notes values of a row that is changed.
  func note(_ key: RowKey, of identifier: Int64) {
    guard keys.count <= TableChanges.limit else {
      hasAllKeys = false
      return
    }
    keys[identifier, default: []].append(key)
  }

  /// Notes a row that is inserted.
  @inline(__always)
  func insert(_ identifier: Int64, entity: Int) {
    let end = inserts.count - 1
    guard end >= 0 else {
      inserts.append(InsertRange(entity: entity, first: identifier, last: identifier))
      return
    }
    if inserts[end].last == identifier &- 1, inserts[end].entity == entity {
      inserts[end].last = identifier
    } else {
      let range = InsertRange(entity: entity, first: identifier, last: identifier)
      inserts.insert(range, at: place(of: identifier))
    }
  }

  /// Forgets a row that is deleted if the request has inserted it; returns whether it has.
  func revoke(_ identifier: Int64) -> Bool {
    guard isInserted(identifier) else { return false }
    let place = place(of: identifier) - 1
    let range = inserts[place]
    let rest = [(range.first, identifier - 1), (identifier + 1, range.last)]
      .filter { $0.0 <= $0.1 }
      .map { InsertRange(entity: range.entity, first: $0.0, last: $0.1) }
    inserts.replaceSubrange(place...place, with: rest)
    return true
  }

  /// Whether the request has inserted a row.
  @inline(__always)
  func isInserted(_ identifier: Int64) -> Bool {
    guard let first = inserts.first, identifier >= first.first else { return false }
    let place = place(of: identifier)
    return place > 0 && identifier <= inserts[place - 1].last
  }

  /// Returns the place of the first range that begins behind an identifier.
  private func place(of identifier: Int64) -> Int {
    if let last = inserts.last, last.first <= identifier { return inserts.count }
    return inserts.place { $0.first <= identifier }
  }
}

/// Rows of one entity with neighbouring identifiers that a request inserted.
struct InsertRange: Equatable {
  /// The number of the entity.
  var entity: Int
  var first: Int64
  var last: Int64
}

/// How the rows of a hierarchy are recorded.
final class RecordedRows {
  let layout: EntityLayout
  /// The places of the columns in SQL, by their places among the stored ones.
  let columns: [Int]
  /// The places of all stored columns.
  let places: [Int]
  let versionColumn: Int
  let kindColumn: Int?
  /// The places of the columns that lead to other rows.
  let references: [Int]
  let entities: [Int: RecordedEntity]
  /// That of the hierarchy's root.
  private let own: RecordedEntity
  /// Whether the history keeps nothing of any of them.
  let isUnkept: Bool

  init(_ layout: EntityLayout, in catalog: Catalog, columns names: [String]) throws(DepotError) {
    let indexes = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    let columns = try layout.stored.map { (column) throws(DepotError) in
      if let index = indexes[column.name] { return index }
      throw DepotError(.corrupt, "The table of \(layout.name) has no column \(column.name).")
    }
    self.layout = layout
    self.columns = columns
    places = Array(columns.indices)
    versionColumn = indexes["version"] ?? 1
    kindColumn = layout.kindPosition.map { columns[$0] }
    references = layout.stored.indices.filter { layout.stored[$0].storage == .reference }
    var entities: [Int: RecordedEntity] = [:]
    for (number, name) in layout.numbers {
      let own = try catalog.layout(of: name)
      entities[number] = RecordedEntity(own, root: layout, catalog.schema, columns)
    }
    own =
      entities[layout.number] ?? RecordedEntity(layout, root: layout, catalog.schema, columns)
    self.entities = entities
    isUnkept = entities.values.allSatisfy { $0.policy == .none }
  }

  /// Adds how many values an update changes, and of each its place, and the value before and after.
  ///
  /// Only columns at `places` can have changed.
  @inline(__always)
  func noteUpdate(
    _ change: borrowing RowEvent,
    of places: [Int],
    in arena: inout PackedCells
  ) throws(OutOfMemory) {
    let start = arena.count
    arena.add(0)
    var count = 0
    for place in places {
      let column = columns[place]
      let (before, after) = (Cell(try change.old(column)), Cell(try change.new(column)))
      if before.isSame(as: after) { continue }
      arena.add(place)
      arena.add(before)
      arena.add(after)
      count += 1
    }
    arena.set(count, at: start)
  }

  /// Adds how many values a deletion of a row keeps, and of each its place and itself.
  @inline(__always)
  func noteDeletion(
    _ change: borrowing RowEvent,
    of entity: Int,
    in arena: inout PackedCells
  ) throws(OutOfMemory) {
    let kept = entity == layout.number ? own.kept : entities[entity]?.kept ?? []
    arena.add(kept.count)
    for (place, column) in kept {
      arena.add(place)
      arena.add(Cell(try change.old(column)))
    }
  }
}

/// How the rows of one entity are recorded.
final class RecordedEntity {
  let name: String
  let number: Int
  let policy: HistoryPolicy
  /// The properties of the columns, by their places among those of the root; `nil` for columns of
  /// none.
  let properties: [Property?]
  /// The descriptions of the properties as columns of a ``HistoryPage``, one behind the other.
  let definitions: [UInt8]
  /// The places of the values that a deletion keeps.
  let preserved: PlaceSet
  /// The places of the values of a deletion that have to be noted, which are what is kept and what it led to,
  /// and those of their columns in SQL.
  let kept: [(place: Int, column: Int)]

  struct Property {
    /// Where its description is in ``definitions``.
    var definition: Range<Int>
  }

  init(_ layout: EntityLayout, root: EntityLayout, _ schema: Schema, _ columns: [Int]) {
    name = layout.name
    number = layout.number
    policy = schema.historyPolicy(of: layout.entity)
    let places = root.placesByName
    var properties = [Property?](repeating: nil, count: root.stored.count)
    var definitions: [UInt8] = []
    var preserved: [Int] = []
    for (position, field) in layout.fields.enumerated() {
      guard let own = layout.storedPositions[position],
        let place = places[layout.stored[own].name]
      else { continue }
      let start = definitions.count
      definitions += HistoryPage.definition(field.path, RowColumn.Form(field.attribute))
      properties[place] = Property(definition: start..<definitions.count)
      if policy == .values || field.attribute.options.contains(.preserveValueOnDeletion) {
        preserved.append(place)
      }
    }
    self.properties = properties
    self.definitions = definitions
    self.preserved = PlaceSet(policy == .none ? [] : preserved)
    let references = root.stored.indices.filter { root.stored[$0].storage == .reference }
    kept = self.preserved.union(PlaceSet(references)).places.map { ($0, columns[$0]) }
  }
}

/// How the rows of a join table are recorded.
final class RecordedLinks {
  /// The entity that declares the relationship, and the root of its hierarchy.
  let owner: String
  let root: String
  /// The description of the relationship as a column of a ``HistoryPage``.
  let definition: [UInt8]
  let policy: HistoryPolicy
  let sourceColumn: Int
  let targetColumn: Int
  /// Whether links have orders.
  let isOrdered: Bool

  init(
    _ relationship: RelationshipLayout,
    _ layout: EntityLayout,
    _ schema: Schema,
    _ names: [String]
  ) {
    owner = layout.name
    root = layout.root
    definition = HistoryPage.definition(relationship.name, .identifiers)
    policy = schema.historyPolicy(of: layout.entity)
    sourceColumn = names.firstIndex(of: "source") ?? 0
    targetColumn = names.firstIndex(of: "target") ?? 1
    isOrdered = names.contains("source_order") || names.contains("target_order")
  }
}
