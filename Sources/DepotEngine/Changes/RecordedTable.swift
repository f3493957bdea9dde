internal import DepotProtocol
internal import DepotSQLite
internal import Glibc

/// A table whose changes are recorded, with the current request's changes.
final class RecordedTable {
  /// The number of the table.
  let number: Int
  /// The name, unquoted.
  let name: String
  let content: Content

  enum Content {
    case rows(RecordedRows)
    case links(RecordedLinks)
  }

  /// The rows inserted by the request, in ascending order.
  var inserts: [InsertRange] = []
  /// Whether there was a change without known details.
  var isDirty = false
  /// Whether some changes were already written to the history.
  var wasSpilled = false
  /// Whether the request has changed the table.
  var isChanged = false
  /// The columns whose values watchers need.
  var wantedColumns = ColumnSet()
  /// The values of these columns in changed rows, before and after.
  private(set) var keys: [Int64: [RowKey]] = [:]
  /// Whether ``keys`` is complete.
  private(set) var hasAllKeys = true

  private let nameForC: UnsafeMutablePointer<CChar>?

  init(_ number: Int, _ name: String, _ content: Content) {
    self.number = number
    self.name = name
    self.content = content
    nameForC = strdup(name)
  }

  deinit { free(nameForC) }

  /// Whether the table has this name.
  @inline(__always)
  func isNamed(_ name: UnsafePointer<CChar>) -> Bool {
    nameForC.map { strcmp($0, name) == 0 } ?? false
  }

  /// Discards the request's changes.
  func reset() {
    inserts.removeAll(keepingCapacity: inserts.count < 1000)
    isDirty = false
    wasSpilled = false
    isChanged = false
    if !keys.isEmpty { keys = [:] }
    hasAllKeys = true
  }

  /// Adds a needed value of a changed row.
  func note(_ key: RowKey, of identifier: Int64) {
    guard keys.count <= TableChanges.limit else {
      hasAllKeys = false
      return
    }
    keys[identifier, default: []].append(key)
  }

  /// Adds an inserted row.
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

  /// Removes a deleted row from the inserted ones; returns whether the request had inserted it.
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

  /// Returns the index of the first range that begins after an identifier.
  private func place(of identifier: Int64) -> Int {
    if let last = inserts.last, last.first <= identifier { return inserts.count }
    return inserts.partitioningIndex { $0.first <= identifier }
  }
}

/// A range of rows of one entity, with consecutive identifiers, that a request inserted.
struct InsertRange: Equatable {
  /// The number of the entity.
  var entity: Int
  var first: Int64
  var last: Int64
}

/// The recording of rows of a hierarchy.
final class RecordedRows {
  let layout: EntityLayout
  /// The SQL column of each stored column, by index.
  let columns: [Int]
  /// The indexes of all stored columns.
  let places: [Int]
  let versionColumn: Int
  let kindColumn: Int?
  /// The indexes of the reference columns.
  let references: [Int]
  let entities: [Int: RecordedEntity]
  /// The recording of the root entity.
  private let own: RecordedEntity
  /// Whether the history records nothing of these rows.
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
      entities[number] = RecordedEntity(own, root: layout, columns)
    }
    own =
      entities[layout.number] ?? RecordedEntity(layout, root: layout, columns)
    self.entities = entities
    isUnkept = entities.values.allSatisfy { $0.policy == .none }
  }

  /// Adds the number of changed values, and for each its index and its old and new value.
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

  /// Adds the number of recorded values of a deleted row, and for each its index and value.
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

/// The recording of rows of one entity.
final class RecordedEntity {
  let name: String
  let number: Int
  let policy: HistoryPolicy
  /// The properties by the column index in the root; `nil` for columns without one.
  let properties: [Property?]
  /// The descriptions of the properties for ``HistoryPage``, concatenated.
  let definitions: [UInt8]
  /// The columns whose values the history keeps after a deletion.
  let preserved: ColumnSet
  /// The columns to record for a deletion, with their SQL columns: kept values and references.
  let kept: [(place: Int, column: Int)]

  struct Property {
    /// The range of its description in ``definitions``.
    var definition: Range<Int>
  }

  init(_ layout: EntityLayout, root: EntityLayout, _ columns: [Int]) {
    name = layout.name
    number = layout.number
    policy = layout.historyPolicy
    let places = root.columnIndicesByName
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
    self.preserved = ColumnSet(policy == .none ? [] : preserved)
    let references = root.stored.indices.filter { root.stored[$0].storage == .reference }
    kept = self.preserved.union(ColumnSet(references)).indices.map { ($0, columns[$0]) }
  }
}

/// The recording of a join table.
final class RecordedLinks {
  /// The entity that declares the relationship, and its root entity.
  let owner: String
  let root: String
  /// The description of the relationship for ``HistoryPage``.
  let definition: [UInt8]
  let policy: HistoryPolicy
  let sourceColumn: Int
  let targetColumn: Int
  /// Whether links have an order.
  let isOrdered: Bool

  init(
    _ relationship: RelationshipLayout,
    _ layout: EntityLayout,
    _ names: [String]
  ) {
    owner = layout.name
    root = layout.root
    definition = HistoryPage.definition(relationship.name, .identifiers)
    policy = layout.historyPolicy
    sourceColumn = names.firstIndex(of: "source") ?? 0
    targetColumn = names.firstIndex(of: "target") ?? 1
    isOrdered = names.contains("source_order") || names.contains("target_order")
  }
}
