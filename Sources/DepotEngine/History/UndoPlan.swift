internal import DepotProtocol
internal import DepotSQLite

/// What is to be written to undo a transaction, after it was compared with what the rows are now.
///
/// The inverse of a transaction is a save: it makes deleted rows again under temporary identifiers that
/// stand for their own, so that they can refer to each other.
struct UndoPlan {
  private let inverse: Inverse
  private let past: PastReader
  private let policy: MergePolicy
  private let token: Int64
  /// The first row of the history behind the transaction.
  private let edge: Int64
  /// What is told.
  private(set) var conflicts: [SaveConflict] = []
  /// How many of them are told.
  private static let conflictLimit = 1000
  private(set) var conflictCount = 0
  /// The rows to make again, with their versions.
  private(set) var recreated: [Inverse.Key: (layout: EntityLayout, version: Int64)] = [:]
  private var insertions: [Inverse.Key: Values] = [:]
  private var updates: [Inverse.Key: Values] = [:]
  private var deletions: [(key: Inverse.Key, entity: String)] = []
  private var deleted: Set<Inverse.Key> = []
  private var links: [(key: Inverse.LinkKey, links: Inverse.Links)] = []

  /// Values for a row, by their paths.
  private struct Values {
    var layout: EntityLayout
    var values: [String: ArraySlice<UInt8>]
  }

  init(_ inverse: Inverse, of token: Int64, _ policy: MergePolicy, _ past: PastReader) throws {
    self.inverse = inverse
    self.past = past
    self.policy = policy
    self.token = token
    edge = try past.bounds.edge(after: token, on: past.connection)
    let rows = inverse.rows.sorted {
      ($0.key.root, $0.key.identifier) < ($1.key.root, $1.key.identifier)
    }
    for (key, row) in rows { try plan(key, row) }
    for (key, links) in inverse.links.sorted(by: {
      ($0.key.entity, $0.key.identifier, $0.key.relationship)
        < ($1.key.entity, $1.key.identifier, $1.key.relationship)
    }) { try plan(key, links) }
  }

  // MARK: - Rows

  private mutating func plan(_ key: Inverse.Key, _ row: Inverse.Row) throws {
    let layout = try past.catalog.layout(of: row.entity)
    switch (row.existed, row.wasThere) {
    case (false, false): return
    case (true, false): try planDeletion(key, layout)
    case (false, true): try planRecreation(key, layout, row)
    case (true, true): try planUpdate(key, layout, row)
    }
  }

  private mutating func planDeletion(_ key: Inverse.Key, _ layout: EntityLayout) throws {
    let now = try past.current(key.identifier, layout)
    guard now.exists else { return }
    // What was changed to and fro is what the transaction inserted.
    let then = try past.state(of: key.identifier, layout, behind: edge)
    let changed = now.values.keys.filter { !Self.isSame(now.values[$0], then.values[$0]) }
      .sorted()
    if !changed.isEmpty {
      var conflict = conflict(.deleteOfUpdated, key, layout)
      conflict.properties = changed
      conflict.base = try Self.values(then.values, changed)
      conflict.store = try Self.values(now.values, conflict.properties)
      let isKept = [.mergeByPropertyStoreTrump, .rollback].contains(policy)
      conflict.decision = policy == .error ? nil : isKept ? .dropped : .client
      try tell(conflict, layout)
      if isKept || policy == .error { return }
    }
    deletions.append((key, layout.name))
    deleted.insert(key)
  }

  private mutating func planRecreation(
    _ key: Inverse.Key,
    _ layout: EntityLayout,
    _ row: Inverse.Row
  ) throws {
    let now = try past.current(key.identifier, layout)
    if now.exists {
      // Somebody else made it again.
      return try planUpdate(key, layout, row)
    }
    try recreate(key, layout, row.before, row.version)
  }

  private mutating func recreate(
    _ key: Inverse.Key,
    _ layout: EntityLayout,
    _ values: [String: ArraySlice<UInt8>],
    _ version: Int64?
  ) throws {
    for (position, field) in layout.fields.enumerated()
    where layout.storedPositions[position] != nil && field.attribute.derivation == nil {
      guard values[field.path] == nil, try !schemaChanged() else { continue }
      throw Inverse.noValues(layout.name, key.identifier)
    }
    insertions[key] = Values(
      layout: layout,
      values: try writable(values, layout, key.identifier)
    )
    recreated[key] = (layout, version ?? 0)
  }

  /// Whether the schema changed after the transaction, so that there may be other properties.
  private func schemaChanged() throws -> Bool {
    var last: Int64 = 0
    try past.connection.statement("SELECT max(id) FROM depot_history WHERE origin = ?1")
      .run([.text(TransactionOrigin.schemaKind)]) { last = $0.integer(0) }
    return last > token
  }

  private mutating func planUpdate(
    _ key: Inverse.Key,
    _ layout: EntityLayout,
    _ row: Inverse.Row
  ) throws {
    let now = try past.current(key.identifier, layout)
    var wanted = row.before
    for name in wanted.keys where layout.isDerivedField(name) { wanted[name] = nil }
    guard !wanted.isEmpty else { return }
    guard now.exists else { return try planUpdateOfDeleted(key, layout, row, wanted) }
    let contested = wanted.keys.filter { name in
      guard let current = now.values[name] else { return false }
      if Self.isSame(current, wanted[name]) { return false }
      return !row.existed || !Self.isSame(current, row.after[name])
    }.sorted()
    if !contested.isEmpty {
      var conflict = conflict(.update, key, layout)
      conflict.properties = contested
      conflict.base = try Self.values(row.after, contested)
      conflict.store = try Self.values(now.values, contested)
      conflict.client = try Self.values(wanted, contested)
      switch policy {
      case .error: break
      case .rollback:
        wanted = [:]
        conflict.decision = .store
      case .mergeByPropertyStoreTrump:
        for name in contested { wanted[name] = nil }
        conflict.decision = wanted.isEmpty ? .store : .merged
      case .mergeByPropertyObjectTrump, .overwrite: conflict.decision = .client
      }
      try tell(conflict, layout)
      if policy == .error { return }
    }
    wanted = wanted.filter { !Self.isSame($0.value, now.values[$0.key]) }
    guard !wanted.isEmpty else { return }
    updates[key] = Values(layout: layout, values: try writable(wanted, layout, key.identifier))
  }

  private mutating func planUpdateOfDeleted(
    _ key: Inverse.Key,
    _ layout: EntityLayout,
    _ row: Inverse.Row,
    _ wanted: [String: ArraySlice<UInt8>]
  ) throws {
    var conflict = conflict(.updateOfDeleted, key, layout)
    conflict.properties = wanted.keys.sorted()
    conflict.base = try Self.values(row.after, conflict.properties)
    conflict.client = try Self.values(wanted, conflict.properties)
    switch policy {
    case .error: return try tell(conflict, layout)
    case .rollback, .mergeByPropertyStoreTrump:
      conflict.decision = .dropped
      return try tell(conflict, layout)
    case .mergeByPropertyObjectTrump, .overwrite: break
    }
    conflict.decision = .recreated
    try tell(conflict, layout)
    var last = RowPast.none
    var version: Int64?
    try past.events(of: key.identifier, key.root, from: edge) { event in
      guard event.kind == .delete, let change = event.change else { return true }
      last.undo(.delete, change)
      version = change.version
      return false
    }
    guard last.exists else { throw Inverse.noValues(layout.name, key.identifier) }
    try recreate(key, layout, last.values.merging(wanted) { $1 }, version)
  }

  // MARK: - Relationships from many to many

  private mutating func plan(_ key: Inverse.LinkKey, _ wanted: Inverse.Links) throws {
    let layout = try past.catalog.layout(of: key.entity)
    guard let relationship = layout.relationship(key.relationship) else {
      throw layout.unknownAttribute(key.relationship)
    }
    let destination = try past.catalog.layout(of: relationship.destination)
    var links = wanted
    let row = Inverse.Key(root: layout.root, identifier: key.identifier)
    // The links of a row go with it.
    if deleted.contains(row) { return }
    guard try isThere(key.identifier, layout) else {
      links.remove = []
      guard !links.add.isEmpty else { return }
      return try tellMissing(key, layout)
    }
    let missing = try links.add.filter { try !isThere($0, destination) }
    if !missing.isEmpty {
      links.add.subtract(missing)
      try tellMissing(key, layout)
    }
    guard !links.add.isEmpty || !links.remove.isEmpty else { return }
    self.links.append((key, links))
  }

  private mutating func tellMissing(_ key: Inverse.LinkKey, _ layout: EntityLayout) throws {
    var conflict = conflict(
      .updateOfDeleted,
      Inverse.Key(root: layout.root, identifier: key.identifier),
      layout
    )
    conflict.properties = [key.relationship]
    conflict.decision = policy == .error ? nil : .dropped
    try tell(conflict, layout)
  }

  /// Whether there is such a row, or will be.
  private func isThere(_ identifier: Int64, _ layout: EntityLayout) throws -> Bool {
    let key = Inverse.Key(root: layout.root, identifier: identifier)
    if recreated[key] != nil { return true }
    return try past.entity(of: identifier, layout) != nil
  }

  // MARK: - Conflicts

  private func conflict(
    _ kind: SaveConflict.Kind,
    _ key: Inverse.Key,
    _ layout: EntityLayout
  ) -> SaveConflict {
    SaveConflict(kind, entity: layout.name, identifier: key.identifier, pointer: "/args")
  }

  private mutating func tell(_ conflict: SaveConflict, _ layout: EntityLayout) throws {
    conflictCount += 1
    guard conflicts.count < Self.conflictLimit else { return }
    var conflict = conflict
    if conflict.kind != .updateOfDeleted {
      conflict.storeVersion = try version(of: conflict.identifier, layout)
    }
    var missing = Set(conflict.properties)
    try past.events(of: conflict.identifier, layout.root, from: edge) { event in
      for property in event.change?.properties ?? [] where missing.remove(property.name) != nil {
        conflict.changedBy[property.name] = try past.origin(of: event.token)
          .map { $0.conflictOrigin(past.bounds) }
      }
      return !missing.isEmpty
    }
    conflicts.append(conflict)
  }

  private func version(of identifier: Int64, _ layout: EntityLayout) throws -> Int64? {
    var version: Int64?
    try past.connection.statement("SELECT version FROM \(layout.table) WHERE id = ?1")
      .run([.integer(identifier)]) { version = $0.integer(0) }
    return version
  }

  /// The error for which nothing is undone; `nil` if nothing stands in the way.
  var refusal: DepotError? {
    guard policy == .error, let first = conflicts.first else { return nil }
    let name = "\(first.entity)/\(first.identifier)"
    let what = first.kind == .updateOfDeleted ? "deleted" : "changed"
    let others = conflictCount > 1 ? ", and so were \(conflictCount - 1) others" : ""
    return DepotError(.merge, "\(name) was \(what) since \(past.bounds.token(token))\(others).")
      .hint("Undo what came later first, or choose a policy.")
      .details(["conflicts": .array(conflicts.map(\.json))])
  }

  private static func isSame(_ one: ArraySlice<UInt8>?, _ other: ArraySlice<UInt8>?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one.elementsEqual(other)
  }

  private static func values(
    _ values: [String: ArraySlice<UInt8>],
    _ names: [String]
  ) throws -> [String: JSONValue] {
    var result: [String: JSONValue] = [:]
    for name in names {
      guard let text = values[name] else { continue }
      result[name] =
        text.count > 64 << 10
        ? .object(["$length": .int64(Int64(text.count))]) : try JSONValue(parsing: text)
    }
    return result
  }

  // MARK: - The save

  /// Returns values as a request can give them.
  ///
  /// - Throws: ``DepotError`` `history.no_values` for a value that is stored outside its row.
  private func writable(
    _ values: [String: ArraySlice<UInt8>],
    _ layout: EntityLayout,
    _ identifier: Int64
  ) throws -> [String: ArraySlice<UInt8>] {
    var result: [String: ArraySlice<UInt8>] = [:]
    for (name, value) in values {
      guard let position = layout.position(of: name) else { throw layout.unknownAttribute(name) }
      let attribute = layout.fields[position].attribute
      guard attribute.derivation == nil else { continue }
      if attribute.options.contains(.externalStorage), !value.elementsEqual("null".utf8) {
        throw DepotError(
          .historyNoValues,
          "\(layout.name)/\(identifier).\(name) is stored outside its row, where no old value is kept."
        )
        .hint("Write the value anew, and undo the rest by hand.")
        .details(["entity": .string(layout.name), "attribute": .string(name)])
      }
      result[name] = value
    }
    // Whether a composite is there can be said only beside its parts.
    for composite in layout.composites {
      guard let name = layout.field(at: composite.presence)?.path, result[name] != nil else {
        continue
      }
      for place in composite.places where place != composite.presence {
        guard let field = layout.field(at: place), field.attribute.derivation == nil,
          result[field.path] == nil
        else { continue }
        result[field.path] = ArraySlice("null".utf8)
      }
    }
    return result
  }

  private static func name(_ key: Inverse.Key) -> String { "#\(key.root)/\(key.identifier)" }

  /// The temporary identifiers of the rows to make again, with their own.
  var temporaries: [String: Int64] {
    Dictionary(uniqueKeysWithValues: recreated.keys.map { (Self.name($0), $0.identifier) })
  }

  /// What does all of it.
  func request() throws -> SaveRequest {
    var request = SaveRequest()
    for (entity, columns, rows) in try batches(insertions) {
      request.inserts.append(.init(entity: entity, columns: columns, rows: rows))
    }
    for (entity, columns, rows) in try batches(updates) {
      request.updates.append(.init(entity: entity, columns: columns, rows: rows))
    }
    for (key, links) in links { request.updates.append(try change(key, links)) }
    let byEntity = Dictionary(grouping: deletions, by: \.entity)
    for (entity, rows) in byEntity.sorted(by: { $0.key < $1.key }) {
      request.deletes.append(.init(entity: entity, identifiers: rows.map(\.key.identifier)))
    }
    return request
  }

  /// Returns rows with the same properties together.
  private func batches(
    _ rows: [Inverse.Key: Values]
  ) throws -> [(entity: String, columns: [String], rows: RowBatch)] {
    let groups = Dictionary(grouping: rows) { row in
      [row.value.layout.name] + row.value.values.keys.sorted()
    }
    return try groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { group, rows in
      let columns = Array(group.dropFirst())
      let layout = try past.catalog.layout(of: group[0])
      let destinations = try columns.map { try destination(of: $0, layout) }
      var writer = JSONWriter()
      writer.raw("[")
      for (index, row) in rows.sorted(by: { $0.key.identifier < $1.key.identifier }).enumerated() {
        writer.raw(index == 0 ? "[" : ",[")
        identifier(row.key, to: &writer)
        for (name, destination) in zip(columns, destinations) {
          writer.raw(",")
          let value = row.value.values[name] ?? ArraySlice("null".utf8)
          if let destination, let target = Int64(String(decoding: value, as: UTF8.self)) {
            identifier(Inverse.Key(root: destination, identifier: target), to: &writer)
          } else {
            writer.raw(value)
          }
        }
        writer.raw("]")
      }
      writer.raw("]")
      return (layout.name, ["$id"] + columns, RowBatch(json: writer.bytes, count: rows.count))
    }
  }

  private func change(
    _ key: Inverse.LinkKey,
    _ links: Inverse.Links
  ) throws -> SaveRequest.Change {
    let layout = try past.catalog.layout(of: key.entity)
    let destination =
      try layout.relationship(key.relationship)
      .map { try past.catalog.layout(of: $0.destination).root } ?? ""
    var writer = JSONWriter()
    writer.raw("[[")
    identifier(Inverse.Key(root: layout.root, identifier: key.identifier), to: &writer)
    writer.raw(",{")
    for (index, (name, rows)) in [("\"add\":[", links.add), ("\"remove\":[", links.remove)]
      .enumerated()
    {
      if index > 0 { writer.raw(",") }
      writer.raw(name.utf8)
      for (index, row) in rows.sorted().enumerated() {
        if index > 0 { writer.raw(",") }
        identifier(Inverse.Key(root: destination, identifier: row), to: &writer)
      }
      writer.raw("]")
    }
    writer.raw("}]]")
    return SaveRequest.Change(
      entity: key.entity,
      columns: ["$id", key.relationship],
      rows: RowBatch(json: writer.bytes, count: 1)
    )
  }

  /// The root of the entity that a to-one relationship leads to; `nil` if it is none.
  private func destination(of name: String, _ layout: EntityLayout) throws -> String? {
    guard let relationship = layout.relationship(name) else { return nil }
    return try past.catalog.layout(of: relationship.destination).root
  }

  private func identifier(_ key: Inverse.Key, to writer: inout JSONWriter) {
    if recreated[key] != nil {
      writer.string(Self.name(key))
    } else {
      writer.integer(key.identifier)
    }
  }
}

extension EntityLayout {
  /// Whether the store computes what a path names.
  fileprivate func isDerivedField(_ path: String) -> Bool {
    position(of: path).map { fields[$0].attribute.derivation != nil } ?? false
  }
}

extension HistoryOrigin {
  /// Who made a change, as conflicts tell it.
  func conflictOrigin(_ bounds: HistoryBounds) -> SaveConflict.Origin {
    var writer = JSONWriter()
    DateText.write(at, to: &writer)
    let text = (try? JSONValue(parsing: writer.bytes))?.string
    return SaveConflict.Origin(
      token: bounds.token(token).description,
      at: text,
      author: author,
      process: process
    )
  }
}
