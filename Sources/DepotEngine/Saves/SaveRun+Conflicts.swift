internal import DepotProtocol
internal import DepotSQLite

/// Resolves conflicts of a save, and adds the versions to its result.
extension SaveRun {
  /// Inserts deleted rows again that the save changes.
  func recreate() throws {
    guard let decisions, !decisions.changes.isEmpty else { return }
    let changes = decisions.changes.sorted { $0.key < $1.key }
    let places = changes.flatMap { index, rows in
      rows.filter { $0.value == .recreate }.keys.sorted().map { (index, $0) }
    }
    for (index, row) in places {
      let change = request.updates[index]
      let writer = try entities.writer(change.entity, at: "/args/update/\(index)/entity")
      let texts = texts(change.rows, at: "/args/update/\(index)/rows")
      let identifier = try change.identifier(of: row, texts)
      session.recreated[writer.layout.root, default: [:]][identifier] = writer.layout
    }
    for (index, row) in places { try recreate(index, row) }
  }

  /// The greatest version accepted from a client if the history doesn't have the row's version.
  private static let greatestVersion: Int64 = 1 << 53 - 1

  private func recreate(_ index: Int, _ row: Int) throws {
    let pointer = "/args/update/\(index)"
    let change = request.updates[index]
    let writer = try entities.writer(change.entity, at: "\(pointer)/entity")
    let texts = texts(of: change, at: pointer)
    let identifier = try change.identifier(of: row, texts.rows)
    let merged = try MergedRow(change, row, texts, writer, isThere: isThere, at: pointer)
    // Two batches may name the same row.
    if try writer.isThere(identifier) { return try write(merged, over: identifier, writer) }
    let base = decisions?.baseVersions[index]?[row] ?? 0
    let origins = ChangeOrigins(session.connection, entities.catalog, session.control)
    let last = try origins.last(of: identifier, writer.layout)
    if let last, let own = try? entities.catalog.layout(of: last.entity),
      own.name != writer.layout.name, own.lineageNames.contains(writer.layout.name)
    {
      throw DepotError(
        .usage,
        "\(change.entity)/\(identifier) was deleted as a row of \(own.name)."
      )
      .hint("Name \(own.name) in the call, with its properties, so that they come back.")
      .at("\(pointer)/entity")
    }
    let run = try writer.insertRun(merged.columns, .error, at: pointer)
    let known = last?.version ?? 0
    guard base <= max(known, Self.greatestVersion) else {
      let column = change.columns.firstIndex(of: "$version") ?? 0
      throw DepotError(
        .numberRange,
        "\(change.entity)/\(identifier) hasn't had the version \(base)."
      )
      .hint("Give the version that was read.").at("\(pointer)/rows/\(row)/\(column)")
    }
    writer.firstVersion = try writer.layout.version(
      after: max(base, known),
      by: 1,
      of: identifier
    )
    defer { writer.firstVersion = 1 }
    let root = try entities.writer(writer.layout.root)
    // Its version is already increased.
    _ = session.versionStep(root, identifier)
    var outcome = InsertResult()
    try merged.read(run.plan, writer, session) { place in
      _ = try writer.insertRow(run, session, place, &outcome, as: identifier)
      session.deferredValues?.locate(place.pointer)
    }
    result.inserted += outcome.inserted
  }

  /// Writes a client's changes and base values over a row that others have changed.
  func overwrite(_ index: Int, _ row: Int, _ identifier: Int64) throws {
    let pointer = "/args/update/\(index)"
    let change = request.updates[index]
    let writer = try entities.writer(change.entity, at: "\(pointer)/entity")
    let texts = texts(of: change, at: pointer)
    let merged = try MergedRow(
      change,
      row,
      texts,
      writer,
      isThere: isThere,
      at: pointer,
      onlyBase: true
    )
    try write(merged, over: identifier, writer)
  }

  /// Whether the row that a relationship leads to is in the store, or is made again by this save.
  private func isThere(_ relationship: RelationshipLayout, _ identifier: Int64) throws -> Bool {
    let target = try entities.catalog.layout(of: relationship.destination)
    return try session.exists(identifier, target) || session.comesBack(identifier, target)
  }

  private func texts(
    of change: SaveRequest.Change,
    at pointer: String
  ) -> (rows: RowTexts, base: RowTexts) {
    (
      texts(change.rows, at: "\(pointer)/rows"),
      texts(change.base?.rows ?? RowBatch(), at: "\(pointer)/base/rows")
    )
  }

  private func write(_ merged: MergedRow, over identifier: Int64, _ writer: EntityWriter) throws {
    guard !merged.columns.isEmpty else { return }
    let plan = InputPlan(try writer.columns(merged.columns, at: merged.pointer))
    let run = try writer.updateRun(plan)
    try merged.read(plan, writer, session) { place in
      _ = try writer.update(identifier, run, session, place)
      session.deferredValues?.locate(place.pointer)
    }
  }

  /// Reports that an inserted row replaces a stored one, or isn't stored because of it.
  func noteClash(
    of index: Int,
    _ row: Int,
    _ writer: EntityWriter,
    _ place: RowPointer
  ) throws {
    guard let policy = request.policy, policy != .error, !writer.layout.uniques.isEmpty,
      let clash = try unlessRefused({ try writer.existing(writer.clashes(session)) }),
      !writer.counter.isNew(clash.identifier)
    else { return }
    guard result.conflicts?.hasRoom == true else {
      result.conflicts?.count()
      return
    }
    let insertion = request.inserts[index]
    var conflict = RowConflict(
      SaveConflict(
        .unique,
        entity: insertion.entity,
        identifier: clash.identifier,
        pointer: place.pointer
      )
    )
    conflict.client = try texts(insertion.rows, at: "/args/insert/\(index)/rows")
      .members(row, insertion.columns)
    try conflict.describe(clash.identifier, clash.unique.paths, writer, properties)
    conflict.decision = ConflictResolution.clash(nil, policy).decision
    result.conflicts?.add(conflict)
  }

  private func properties(_ entity: String, _ paths: [String]) throws -> StoredProperties {
    try StoredProperties(entity, paths, in: entities.catalog, session.connection)
  }

  /// Replaces a save's error about unique values by a list of conflicts.
  func explained(_ error: DepotError) throws -> DepotError {
    let errors = session.violations.errors.isEmpty ? [error] : session.violations.errors
    guard decisions != nil, errors.allSatisfy({ $0.code == .unique }) else { return error }
    var list = ConflictList()
    for error in errors {
      guard let conflict = try conflict(error) else { return error }
      list.add(conflict)
    }
    return list.error(unique: errors.first) ?? error
  }

  private func conflict(_ error: DepotError) throws -> RowConflict? {
    guard let entity = error.details?["entity"]?.string, let pointer = error.at,
      let existing = (error.details?["existing"]?.string?.split(separator: "/").last)
        .flatMap({ Int64($0) })
    else { return nil }
    let writer = try entities.writer(entity)
    let names = error.details?["attributes"]?.array ?? [error.details?["attribute"] ?? .null]
    let paths = names.compactMap(\.string)
    var conflict = RowConflict(
      SaveConflict(.unique, entity: entity, identifier: existing, pointer: pointer)
    )
    let steps = pointer.split(separator: "/")
    if steps.count >= 5, let index = Int(steps[2]), let row = Int(steps[4]) {
      if steps[1] == "insert", request.inserts.indices.contains(index) {
        let insertion = request.inserts[index]
        conflict.client = try texts(insertion.rows, at: "/args/insert/\(index)/rows")
          .members(row, insertion.columns)
      } else if steps[1] == "update", request.updates.indices.contains(index) {
        let change = request.updates[index]
        conflict.client = try texts(change.rows, at: "/args/update/\(index)/rows")
          .members(row, change.columns)
        conflict.identifier = conflict.client["$id"]?.int64 ?? existing
      }
    }
    try conflict.describe(existing, paths, writer, properties)
    return conflict
  }

  /// Adds the current versions of the rows that the request names.
  func addVersions(_ result: inout SaveResult) throws {
    guard decisions != nil else { return }
    // A request that sets versions doesn't change them afterwards, and only deletions remove rows.
    if result.deleted == 0, knowsVersions {
      result.versions = writtenVersions
      return
    }
    for (entity, rows) in writtenVersions.entities {
      let layout = try entities.catalog.layout(of: entity)
      let statement = try session.connection.statement(
        "SELECT version FROM \(layout.table) WHERE id = ?1"
      )
      var versions: EntityVersions.Rows = []
      var known: Set<Int64> = []
      for (identifier, _) in rows where known.insert(identifier).inserted {
        try statement.run([.integer(identifier)]) { versions.append((identifier, $0.integer(0))) }
      }
      result.versions.add(versions, of: entity)
    }
  }
}

extension SaveRequest.Change {
  /// Returns the identifier of an existing or deleted row.
  fileprivate func identifier(of row: Int, _ texts: RowTexts) throws(DepotError) -> Int64 {
    guard let column = columns.firstIndex(of: "$id"),
      let identifier = try texts.values(row)[column].withField(\.int64)
    else { throw DepotError(.bug, "A row to change has no identifier.") }
    return identifier
  }
}
