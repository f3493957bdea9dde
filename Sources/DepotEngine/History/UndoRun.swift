internal import DepotProtocol
internal import DepotSQLite

/// The undoing of transactions, or the doing again of what was undone, in one transaction.
struct UndoRun {
  let writer: Writer
  let entities: EntityWriters
  let request: UndoRequest
  let write: WriteRequest
  var isRedo = false

  private var connection: Connection { writer.connection }

  /// Undoes the transactions, and returns the members of the result.
  func run(_ effect: inout WriteEffect) throws -> [String: JSONValue] {
    let bounds = try HistoryBounds(on: connection)
    var selection = UndoSelection(
      bounds: bounds,
      isRedo: isRedo,
      connection: connection,
      control: write.control
    )
    let tokens = try selection.tokens(request.target, author: write.author)
    let name = isRedo ? "redo" : "undo"
    if let first = tokens.first { writer.recorder.setKind("\(name):\(first)") }
    var conflicts: [SaveConflict] = []
    // A row that is deleted along the way isn't in the history yet.
    var versions: [Inverse.Key: Int64]? = tokens.count > 1 ? [:] : nil
    for token in tokens {
      try write.control.check()
      conflicts += try undo(token, bounds, &versions, &effect)
    }
    for token in tokens.dropFirst() { try writer.recorder.addKind("\(name):\(token)") }
    return [
      "undone": .array(tokens.map { .string(bounds.token($0).description) }),
      "conflicts": .array(conflicts.prefix(1000).map(\.json)),
    ]
  }

  /// Undoes one transaction; returns the conflicts that the policy decided.
  private func undo(
    _ token: Int64,
    _ bounds: HistoryBounds,
    _ versions: inout [Inverse.Key: Int64]?,
    _ effect: inout WriteEffect
  ) throws -> [SaveConflict] {
    let inverse = try inverse(of: token, bounds)
    // An undo is always of what the history keeps, so that one without changes has changed nothing.
    guard !inverse.isEmpty || isRedo || !hasUnkeptEntities else {
      throw DepotError(
        .historyNoValues,
        "The history keeps nothing of what \(bounds.token(token)) changed."
      )
      .hint("Give the entities \"history\": \"values\" in the schema.")
    }
    let past = PastReader(connection, entities.catalog, bounds) { _ in try write.control.check() }
    let plan = try UndoPlan(inverse, of: token, request.policy ?? .error, past, versions ?? [:])
    if let refusal = plan.refusal { throw refusal }
    try versions?.merge(plan.deletedVersions()) { $1 }
    let session = ChangeSession(entities, write.control, client: write.connection)
    session.formerIdentifiers = plan.temporaries
    session.isUndo = true
    let result: SaveResult
    do {
      result = try SaveRun(try plan.request(), session).run()
      try session.finish()
    } catch var error as DepotError {
      // Where it stands in the inverse means nothing to the client.
      error.at = nil
      throw error
    }
    // The versions of rows that were deleted go on.
    for (key, row) in plan.recreated where row.version > 0 {
      _ = try entities.writer(row.layout.name).change(key.identifier, [], step: row.version)
    }
    effect.rowsInserted += result.inserted
    effect.rowsUpdated += result.updated
    effect.rowsDeleted += result.deleted
    return plan.conflicts.list
  }

  /// Whether a transaction without changes may have changed rows of which the history keeps nothing.
  private var hasUnkeptEntities: Bool {
    let schema = entities.catalog.schema
    return schema.entities.contains { schema.historyPolicy(of: $0) == .none }
  }

  private func inverse(of token: Int64, _ bounds: HistoryBounds) throws -> Inverse {
    var inverse = Inverse()
    let edge = try bounds.edge(after: token, on: connection)
    let statement = try connection.statement(
      """
      SELECT \(HistoryTable.fullRow) FROM depot_history WHERE id >= ?1 AND id < ?2 AND token = ?1 \
      ORDER BY id DESC
      """
    )
    try statement.run([.integer(token), .integer(edge)]) { row in
      try write.control.check()
      try inverse.add(try HistoryRecord(row)) { try entities.catalog.layout(of: $0).root }
    }
    return inverse
  }
}
