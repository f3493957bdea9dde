internal import DepotProtocol
internal import DepotSQLite

/// The complete history of one row.
struct RowHistory {
  let identifier: Int64
  /// The row's own entity.
  let layout: EntityLayout
  /// Whether the row exists now.
  let exists: Bool
  /// Its insertions and deletions, latest first.
  private let lifeEvents: [RecordedChange]

  /// Finds the row of an entity or a descendant, in the store or in its history.
  init(_ identifier: Int64, _ entity: EntityLayout, _ past: PastReader) throws {
    self.identifier = identifier
    let present = try past.entity(of: identifier, entity)
    exists = present != nil
    var lifeEvents: [RecordedChange] = []
    try past.events(of: identifier, entity.root) { event in
      if event.kind == .delete { lifeEvents.append(event) }
      return true
    }
    let insertions = try past.insertions(of: identifier, entity, isAlone: lifeEvents.isEmpty)
    lifeEvents = (lifeEvents + insertions).sorted { $0.record > $1.record }
    self.lifeEvents = lifeEvents
    let own = try present ?? lifeEvents.first.map { try past.catalog.layout(of: $0.entity) }
    guard let own, own.lineageNames.contains(entity.name) else {
      throw DepotError(.objectNotFound, "The history has no row \(entity.name)/\(identifier).")
        .at("/args/id").details([
          "entity": .string(entity.name), "missing": .array([.int64(identifier)]),
        ])
    }
    layout = own
  }

  /// Returns the state of the row after a transaction.
  func state(after token: Int64, _ past: PastReader) throws -> RowState {
    let edge = try past.bounds.edge(after: token, on: past.connection)
    var row = try past.current(identifier, layout)
    var insertions = lifeEvents.filter { $0.kind == .insert && $0.record >= edge }[...]
    try past.events(of: identifier, layout.root, from: edge) { change in
      while let insertion = insertions.first, insertion.record > change.record {
        insertions.removeFirst()
        row.undo(insertion)
      }
      row.undo(change)
      return true
    }
    return insertions.isEmpty ? row : .none
  }

  /// The last changes of a row's properties.
  struct Blame {
    /// The last known transaction that changed each property.
    var properties: [String: Int64] = [:]
    /// The transaction that inserted the row.
    var inserted: Int64?
    /// The transaction that deleted the row, if it doesn't exist.
    var deleted: Int64?
  }

  func blame(_ past: PastReader) throws -> Blame {
    var blame = Blame()
    let insertion = lifeEvents.first { $0.kind == .insert }
    let deletion = lifeEvents.first { $0.kind == .delete }
    blame.inserted = insertion?.token
    if !exists { blame.deleted = deletion?.token }
    var edge = insertion?.record ?? 0
    // If the row was inserted again and that insertion is unknown, changes before the deletion are
    // too old.
    if exists, let deletion, deletion.record > edge { edge = deletion.record + 1 }
    try past.events(of: identifier, layout.root, from: edge) { event in
      guard event.kind == .update || event.kind == .links else { return true }
      for property in event.properties where blame.properties[property.name] == nil {
        blame.properties[property.name] = event.token
      }
      return true
    }
    guard let inserted = blame.inserted else { return blame }
    for (position, field) in layout.fields.enumerated()
    where layout.storedPositions[position] != nil && blame.properties[field.path] == nil {
      blame.properties[field.path] = inserted
    }
    return blame
  }
}
