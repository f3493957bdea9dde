internal import DepotProtocol
internal import DepotSQLite

/// The plan to undo a transaction, made by comparing its inverse with the current rows.
///
/// The inverse of a transaction is a save: it inserts deleted rows again, with their own identifiers.
struct UndoPlan {
  let past: PastReader
  private let policy: MergePolicy
  private let token: Int64
  /// The first row of the history after the transaction.
  private let edge: Int64
  /// The conflicts to report.
  private(set) var conflicts = UndoConflicts()
  /// The rows to insert again, with their versions.
  private(set) var recreated: [Inverse.Key: (layout: EntityLayout, version: Int64)] = [:]
  private(set) var insertions: [Inverse.Key: Values] = [:]
  private(set) var updates: [Inverse.Key: Values] = [:]
  private(set) var deletions: [(key: Inverse.Key, entity: String)] = []
  private var deleted: Set<Inverse.Key> = []
  /// The deleted rows that will be inserted again.
  private var gone: [Gone] = []
  /// The last versions of rows deleted by an earlier undo of the same request.
  private let versions: [Inverse.Key: Int64]
  /// The state of an undo in parts; `nil` if the inverse is of the whole transaction.
  private let parts: UndoParts?
  /// The rows that the transaction inserted, and the states of the next ones.
  private var inserted: ArraySlice<PastReader.Lookup> = []
  private var states: ArraySlice<Result<PastReader.State, DepotError>> = []
  private(set) var links: [(key: Inverse.LinkKey, links: Inverse.Links)] = []

  /// The number of rows whose past states are read together.
  private static let rowsTogether = 2048

  /// Values of a row, by path.
  struct Values {
    var layout: EntityLayout
    var values: [String: HistoryValue]
  }

  /// A deleted row that will be inserted again.
  private struct Gone {
    var key: Inverse.Key
    /// The values to set.
    var values: Values
    /// Whether its other values are the last ones before its deletion.
    var keepsLast: Bool
    /// Its last known version.
    var version: Int64
  }

  /// Compares an inverse with the current rows.
  ///
  /// `versions` are the last versions of rows deleted by an earlier undo of the same request.
  init(
    _ inverse: Inverse,
    of token: Int64,
    _ policy: MergePolicy,
    _ past: PastReader,
    _ versions: [Inverse.Key: Int64] = [:],
    _ parts: UndoParts? = nil
  ) throws {
    self.versions = versions
    self.parts = parts
    self.past = past
    self.policy = policy
    self.token = token
    edge = try past.bounds.edge(after: token, on: past.connection)
    let rows = inverse.rows.sorted {
      ($0.key.root, $0.key.identifier) < ($1.key.root, $1.key.identifier)
    }
    inserted = try rows.filter { $0.value.existed && !$0.value.wasThere }.map { key, row in
      let layout = try past.catalog.layout(of: row.entity)
      return PastReader.Lookup(identifier: key.identifier, layout: layout, edge: edge)
    }[...]
    for (key, row) in rows { try plan(key, row) }
    try recreateGone()
    for (key, links) in inverse.links.sorted(by: {
      ($0.key.entity, $0.key.identifier, $0.key.relationship)
        < ($1.key.entity, $1.key.identifier, $1.key.relationship)
    }) { try plan(key, links) }
    try conflicts.explain(from: edge, past)
  }

  /// Returns the versions of the rows to delete.
  func deletedVersions() throws -> [Inverse.Key: Int64] {
    var versions: [Inverse.Key: Int64] = [:]
    for (key, entity) in deletions {
      let layout = try past.catalog.layout(of: entity)
      versions[key] = try past.version(of: key.identifier, layout)
    }
    return versions
  }

  // MARK: - Rows

  /// Whether it is a part that is written after the search for conflicts.
  private var isWriting: Bool { parts.map { !$0.isSearching } ?? false }

  private mutating func plan(_ key: Inverse.Key, _ row: Inverse.Row) throws {
    let layout = try past.catalog.layout(of: row.entity)
    let form = PresentForm(layout, key.identifier)
    var row = row
    (row.before, row.after) = (try form.values(row.before), try form.values(row.after))
    switch (row.existed, row.wasThere) {
    case (false, false): return
    // The search has found the rows to delete.
    case (true, false): if !isWriting { try planDeletion(key, layout) }
    case (false, true): try planRecreation(key, layout, row)
    case (true, true): try planUpdate(key, layout, row)
    }
  }

  private mutating func planDeletion(_ key: Inverse.Key, _ layout: EntityLayout) throws {
    let state = try nextState()
    let now = state.now
    guard now.exists else { return }
    let then = try PresentForm(layout, key.identifier).values(state.then.values)
    // A row that was changed and changed back equals the inserted one.
    let changed = now.values.keys.filter { now.values[$0] != then[$0] }.sorted()
    if !changed.isEmpty {
      var conflict = conflict(.deleteOfUpdated, key, layout)
      conflict.properties = changed
      conflict.base = Self.values(then, changed)
      conflict.store = Self.values(now.values, conflict.properties)
      let resolution = ConflictResolution.deletionOfUpdated(policy)
      conflict.decision = resolution.decision
      try conflicts.add(conflict, layout, past)
      guard resolution.action == .proceed else { return }
    }
    deletions.append((key, layout.name))
    deleted.insert(key)
  }

  /// Returns the state of the next row that the transaction inserted.
  private mutating func nextState() throws -> PastReader.State {
    if states.isEmpty {
      states = try past.states(of: inserted.prefix(Self.rowsTogether))[...]
      inserted = inserted.dropFirst(states.count)
    }
    guard let state = states.popFirst() else {
      throw DepotError(.bug, "A row was to be undone twice.")
    }
    return try state.get()
  }

  private mutating func planRecreation(
    _ key: Inverse.Key,
    _ layout: EntityLayout,
    _ row: Inverse.Row
  ) throws {
    let now = try past.current(key.identifier, layout)
    if now.exists {
      // Another client has inserted it again.
      return try planUpdate(key, layout, row)
    }
    addGone(key, Values(layout: layout, values: row.before), row.version)
  }

  private mutating func addGone(
    _ key: Inverse.Key,
    _ values: Values,
    keepsLast: Bool = false,
    _ version: Int64?
  ) {
    let version = max(version ?? 0, versions[key] ?? 0)
    gone.append(Gone(key: key, values: values, keepsLast: keepsLast, version: version))
  }

  private mutating func recreate(
    _ key: Inverse.Key,
    _ layout: EntityLayout,
    _ values: [String: HistoryValue],
    _ version: Int64
  ) throws {
    for (position, field) in layout.fields.enumerated()
    where layout.storedPositions[position] != nil && field.attribute.derivation == nil {
      // After a change of the schema, the row may have other properties.
      guard values[field.path] == nil, try !past.schemaChanged(since: token) else { continue }
      throw Inverse.noValues(layout.name, key.identifier)
    }
    insertions[key] = Values(
      layout: layout,
      values: try writable(values, layout, key.identifier)
    )
    recreated[key] = (layout, version)
  }

  private mutating func planUpdate(
    _ key: Inverse.Key,
    _ layout: EntityLayout,
    _ row: Inverse.Row
  ) throws {
    let now = try past.current(key.identifier, layout)
    var wanted = row.before.filter { !layout.isDerived($0.key) }
    guard !wanted.isEmpty else { return }
    guard now.exists else { return try planUpdateOfDeleted(key, layout, row, wanted) }
    if isWriting {
      guard let kept = parts?.kept(key) else { return }
      wanted = wanted.filter { !kept.contains($0.key) && $0.value != now.values[$0.key] }
      guard !wanted.isEmpty else { return }
      updates[key] = Values(layout: layout, values: try writable(wanted, layout, key.identifier))
      return
    }
    let names = wanted.keys.sorted()
    let resolution = ConflictResolution.update(
      names.map { name in
        let current = now.values[name]
        let isAsWanted = current == nil || current == wanted[name]
        let isAsBefore = row.existed && current == row.after[name]
        return .init(isWritten: true, stored: isAsWanted || isAsBefore ? .unchanged : .changed)
      },
      policy
    )
    let contested = resolution.contested.map { names[$0] }
    if !contested.isEmpty {
      var conflict = conflict(.update, key, layout)
      conflict.properties = contested
      conflict.base = Self.values(row.after, contested)
      conflict.store = Self.values(now.values, contested)
      conflict.client = Self.values(wanted, contested)
      conflict.decision = resolution.decision
      try conflicts.add(conflict, layout, past)
      switch resolution.action {
      case .refuse, .drop:
        parts?.keep(key)
        return
      case .write:
        for name in contested { wanted[name] = nil }
        parts?.keep(key, contested)
      default: break
      }
    }
    if parts != nil { return }
    wanted = wanted.filter { $0.value != now.values[$0.key] }
    guard !wanted.isEmpty else { return }
    updates[key] = Values(layout: layout, values: try writable(wanted, layout, key.identifier))
  }

  private mutating func planUpdateOfDeleted(
    _ key: Inverse.Key,
    _ layout: EntityLayout,
    _ row: Inverse.Row,
    _ wanted: [String: HistoryValue]
  ) throws {
    if isWriting {
      guard parts?.kept(key) != nil else { return }
      return addGone(key, Values(layout: layout, values: wanted), keepsLast: true, nil)
    }
    var conflict = conflict(.updateOfDeleted, key, layout)
    conflict.properties = wanted.keys.sorted()
    conflict.base = Self.values(row.after, conflict.properties)
    conflict.client = Self.values(wanted, conflict.properties)
    let resolution = ConflictResolution.updateOfDeleted(policy)
    conflict.decision = resolution.decision
    try conflicts.add(conflict, layout, past)
    guard resolution.action == .recreate else {
      parts?.keep(key)
      return
    }
    addGone(key, Values(layout: layout, values: wanted), keepsLast: true, nil)
  }

  /// Inserts rows again, with versions greater than any version that they had when deleted.
  private mutating func recreateGone() throws {
    if let parts, parts.isSearching {
      for row in gone { parts.returning.append(row.key.identifier, of: row.values.layout) }
      return
    }
    let trails = gone.map { row in
      PastReader.Trail(root: row.key.root, identifier: row.key.identifier, edge: edge)
    }
    var last = Array(repeating: RowState.none, count: gone.count)
    try past.walk(trails) { position, event in
      let change = try event.get()
      guard change.kind == .delete else { return true }
      gone[position].version = max(gone[position].version, change.version ?? 0)
      if gone[position].keepsLast { last[position].undo(change) }
      return false
    }
    for (row, last) in zip(gone, last) {
      let layout = row.values.layout
      guard last.exists || !row.keepsLast else {
        throw Inverse.noValues(layout.name, row.key.identifier)
      }
      let earlier = try PresentForm(layout, row.key.identifier).values(last.values)
      let values = earlier.merging(row.values.values) { $1 }
      try recreate(row.key, layout, values, row.version)
    }
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
    // The links of a deleted row are deleted with it.
    if deleted.contains(row) || parts?.deletes(row) == true { return }
    guard try isThere(key.identifier, layout) else {
      links.remove = []
      guard !links.add.isEmpty else { return }
      return try reportMissing(key, layout)
    }
    let missing = try links.add.filter { try !isThere($0, destination) }
    if !missing.isEmpty {
      links.add.subtract(missing)
      try reportMissing(key, layout)
    }
    guard !links.add.isEmpty || !links.remove.isEmpty, parts?.isSearching != true else { return }
    self.links.append((key, links))
  }

  private mutating func reportMissing(_ key: Inverse.LinkKey, _ layout: EntityLayout) throws {
    if isWriting { return }
    var conflict = conflict(
      .updateOfDeleted,
      Inverse.Key(root: layout.root, identifier: key.identifier),
      layout
    )
    conflict.properties = [key.relationship]
    conflict.decision = policy == .error ? nil : .dropped
    try conflicts.add(conflict, layout, past)
  }

  /// Whether a row exists, or will be inserted.
  private func isThere(_ identifier: Int64, _ layout: EntityLayout) throws -> Bool {
    let key = Inverse.Key(root: layout.root, identifier: identifier)
    if recreated[key] != nil || parts?.returning.contains(identifier, of: layout) == true {
      return true
    }
    return try past.entity(of: identifier, layout) != nil
  }

  // MARK: - Conflicts

  private func conflict(
    _ kind: SaveConflict.Kind,
    _ key: Inverse.Key,
    _ layout: EntityLayout
  ) -> RowConflict {
    RowConflict(
      SaveConflict(kind, entity: layout.name, identifier: key.identifier, pointer: "/args")
    )
  }

  /// The error for a rejected undo; `nil` if nothing prevents it.
  var refusal: DepotError? { policy == .error ? conflicts.refusal(token, past.bounds) : nil }

  private static func values(
    _ values: [String: HistoryValue],
    _ names: [String]
  ) -> [String: ConflictValue] {
    values.filter { names.contains($0.key) }.mapValues { .stored($0) }
  }

  // MARK: - Values

  /// Returns values in the form of a request; one outside its row must be kept.
  private func writable(
    _ values: [String: HistoryValue],
    _ layout: EntityLayout,
    _ identifier: Int64
  ) throws -> [String: HistoryValue] {
    var result: [String: HistoryValue] = [:]
    for (name, value) in values {
      guard let position = layout.position(of: name) else { throw layout.unknownAttribute(name) }
      let attribute = layout.fields[position].attribute
      guard attribute.derivation == nil else { continue }
      if let reference = value.reference {
        let isOutside = layout.storedPositions[position].map { layout.stored[$0].isExternal }
        guard isOutside == true,
          try KeptValues(connection: past.connection)
            .contains(reference, of: BlobTable(layout.root))
        else { throw Self.isGone(reference, "\(layout.name)/\(identifier)", name) }
      }
      result[name] = value
    }
    // The presence of a composite can only be set together with its parts.
    for composite in layout.composites {
      guard let name = layout.field(at: composite.presence)?.path, result[name] != nil else {
        continue
      }
      for place in composite.places where place != composite.presence {
        guard let field = layout.field(at: place), field.attribute.derivation == nil,
          result[field.path] == nil
        else { continue }
        result[field.path] = .null(RowColumn.Form(field.attribute))
      }
    }
    return result
  }

  private static func isGone(_ value: BlobReference, _ row: String, _ name: String) -> DepotError {
    DepotError(
      .historyNoValues,
      "\(row).\(name) had a value of \(value.length) bytes, which isn't kept any more."
    )
    .hint("Bytes that were written over aren't. Write the value anew, and undo the rest by hand.")
    .details(["entity": .string(String(row.prefix { $0 != "/" })), "attribute": .string(name)])
  }
}
