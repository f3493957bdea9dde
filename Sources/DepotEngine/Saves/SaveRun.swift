internal import DepotProtocol
internal import DepotSQLite

/// The result of a save.
struct SaveResult {
  var inserted = 0
  var updated = 0
  var deleted = 0
  /// The permanent identifiers of rows that had temporary ones.
  var identifiers: [String: Int64] = [:]
  /// The permanent identifiers of each batch of inserted rows, in runs; `nil` if not requested.
  var runs: [IdentifierRuns]?
  /// The conflicts resolved by the policy; `nil` if there was no search.
  var conflicts: ConflictList?
  /// The versions of the rows that the request names.
  var versions = EntityVersions()
}

/// The versions of rows, by entity.
struct EntityVersions {
  typealias Rows = [(identifier: Int64, version: Int64)]

  /// The entities that have rows; there are few, so that a dictionary would cost more.
  private(set) var entities: [(name: String, rows: Rows)] = []

  mutating func add(_ rows: Rows, of entity: String) {
    guard !rows.isEmpty else { return }
    if let index = entities.firstIndex(where: { $0.name == entity }) {
      entities[index].rows += rows
    } else {
      entities.append((entity, rows))
    }
  }
}

/// Executes a save.
///
/// Identifiers are assigned first, so that rows can refer to each other in any order. Then the rows
/// are written, then the relationships, and finally the deletions, so that a row moved away from a
/// deleted row isn't deleted with it. Unique values may move between rows: deleted rows release
/// theirs at once, and others by the end, when all values must be unique.
final class SaveRun {
  let request: SaveRequest
  let session: ChangeSession
  var result = SaveResult()
  /// The rows of batches as texts, by their pointer in the request.
  private var texts: [String: RowTexts] = [:]
  /// The decisions about conflicts; `nil` if there was no search.
  private(set) var decisions: SaveDecisions?
  /// The identifiers of rows without temporary ones that other rows determine.
  private var identifiers: [TemporaryResolution.RequestRow: Int64] = [:]
  /// The rows that the request names, with their versions as they were written.
  private(set) var writtenVersions = EntityVersions()
  /// Whether none of these versions must be read.
  private(set) var knowsVersions = true
  /// The temporary identifiers of each inserted batch, for an answer in runs.
  ///
  /// A row without one has an empty string.
  private var names: [[String]] = []

  var entities: EntityWriters { session.entities }

  init(_ request: SaveRequest, _ session: ChangeSession) throws {
    self.request = try request.following(session.entities.catalog)
    self.session = session
  }

  func run() throws -> SaveResult {
    let deferredValues = DeferredUniqueValues()
    session.deferredValues = deferredValues
    try assignIdentifiers()
    let isWritten = try writesAsRead()
    if request.looksForConflicts, !isWritten {
      use(try ConflictSearch(request, session).run())
    }
    let deletion = request.deletes.isEmpty ? nil : try beginDeletion()
    if request.onConflict != .error {
      var resolution = TemporaryResolution(request, session)
      identifiers = try resolution.run()
    }
    try recreate()
    for index in request.inserts.indices { try insert(index) }
    if !isWritten { for index in request.updates.indices { try update(index) } }
    try deferredValues.giveBackReferences(session.violate)
    try session.applyLinkChanges()
    result.deleted = try deletion?.run() ?? 0
    try deferredValues.giveBack(session.violate)
    if request.answersInRuns {
      result.runs = names.map { names in
        var runs = IdentifierRuns()
        for name in names { runs.append(session.temporaries[name]?.identifier ?? 0) }
        return runs
      }
    } else {
      result.identifiers = session.temporaries.mapValues(\.identifier)
    }
    return result
  }

  private func use(_ found: SaveDecisions) {
    decisions = found
    session.moving = found.moving
    result.conflicts = found.conflicts
  }

  /// Writes the save if it only changes one row, which is as the client has read it.
  ///
  /// Such a save needs no search for conflicts: one statement compares the version and writes. It
  /// returns `false` if nothing was written.
  private func writesAsRead() throws -> Bool {
    guard request.changesOneRowAsRead else { return false }
    use(SaveDecisions())
    try update(0, onlyAsRead: true)
    if result.updated == 1 { return true }
    session.violations = ViolationList()
    return false
  }

  private func beginDeletion() throws -> Deletion {
    let deletion = Deletion(session)
    for (index, request) in request.deletes.enumerated() {
      let writer = try entities.writer(request.entity, at: "/args/delete/\(index)/entity")
      let kept = decisions?.kept[index] ?? []
      let identifiers =
        kept.isEmpty ? request.identifiers : request.identifiers.filter { !kept.contains($0) }
      let missing = try deletion.add(identifiers, of: writer.layout)
      guard missing.isEmpty else {
        throw writer.layout.missing(missing, at: "/args/delete/\(index)/ids")
      }
    }
    try deletion.detach()
    return deletion
  }

  /// Returns the rows of a batch as texts, which are cached.
  func texts(_ rows: RowBatch, at pointer: String) -> RowTexts {
    texts[pointer].getOrInsert { RowTexts(rows) }
  }

  /// Assigns a permanent identifier to every row with a temporary one.
  private func assignIdentifiers() throws {
    if request.answersInRuns { names = Array(repeating: [], count: request.inserts.count) }
    for (index, insertion) in request.inserts.enumerated() {
      guard let column = insertion.columns.firstIndex(of: "$id") else {
        if request.answersInRuns {
          names[index] = Array(repeating: "", count: insertion.rows.count)
        }
        continue
      }
      let pointer = ListPointers.insert(index).list
      let writer = try entities.writer(insertion.entity, at: "\(pointer)/entity")
      try insertion.rows.eachField(in: column) { row, field in
        if row & 63 == 0 { try session.control.check() }
        var name = ""
        if !field.isNull {
          name = try assign(field, writer) { "\(pointer)/rows/\(row)/\(column)" }
        }
        if request.answersInRuns { names[index].append(name) }
      }
    }
  }

  /// Assigns a permanent identifier to a row with a temporary one; returns the temporary one.
  private func assign(
    _ field: RowField,
    _ writer: EntityWriter,
    at pointer: () -> String
  ) throws -> String {
    guard field.kind == .string, field.bytes.first == UInt8(ascii: "#") else {
      throw DepotError(.type, "The $id of a row to insert must be a temporary identifier.")
        .hint("That is a string that begins with #. Permanent ones are the store's to give.")
        .at(pointer())
    }
    let name = field.text
    guard session.temporaries[name] == nil else {
      throw DepotError(.usage, "Two rows have the temporary identifier \(name).").at(pointer())
    }
    let identifier = writer.counter.take()
    session.temporaries[name] = (writer.layout, identifier)
    return name
  }

  private func insert(_ index: Int) throws {
    let insertion = request.inserts[index]
    let pointers = ListPointers.insert(index)
    let pointer = pointers.list
    let writer = try entities.writer(insertion.entity, at: "\(pointer)/entity")
    let run = try writer.insertRun(
      insertion.columns,
      request.onConflict,
      at: pointer,
      identifier: true
    )
    var outcome = InsertResult()
    let plan = { (_: Int) in run.plan }
    var versions: EntityVersions.Rows = []
    // Two of the rows may replace the same row.
    if request.onConflict != .error, !writer.layout.uniques.isEmpty { knowsVersions = false }
    try eachRow(of: insertion.rows, plan, writer, at: pointers.rows) { row, place in
      if decisions != nil { try noteClash(of: index, row, writer, place) }
      let temporary = run.plan.hasLinks ? writer.links.temporary : nil
      let assigned =
        temporary.flatMap { session.temporaries[$0]?.identifier }
        ?? identifiers[TemporaryResolution.RequestRow(insertion: index, row: row)]
      let identifier = try writer.insertRow(run, session, place, &outcome, as: assigned)
      if let assigned, let identifier, assigned != identifier {
        throw DepotError(
          .unique,
          "\(writer.layout.name)/\(identifier) has unique values of the row \(temporary ?? "")."
        ).hint("Name the row that is there by its $id, or change one of the two in another save.")
          .at(place.pointer)
      }
      guard decisions != nil, temporary != nil, let identifier else { return }
      if !writer.counter.isNew(identifier) { knowsVersions = false }
      versions.append((identifier, writer.firstVersion))
    }
    writtenVersions.add(versions, of: insertion.entity)
    result.inserted += outcome.inserted
    result.updated += outcome.updated
  }

  /// Updates the rows of a batch, or with `onlyAsRead` rows that one statement can write.
  private func update(_ index: Int, onlyAsRead: Bool = false) throws {
    let change = request.updates[index]
    let pointers = ListPointers.update(index)
    let pointer = pointers.list
    let writer = try entities.writer(change.entity, at: "\(pointer)/entity")
    guard change.columns.contains("$id") else {
      throw DepotError(.usage, "The rows to change have no $id.").at("\(pointer)/columns")
    }
    let whole = try writer.updates.plan(change.columns, .change) {
      try writer.updateRun(
        InputPlan(try writer.changedColumns(change.columns, at: "\(pointer)/columns"))
      )
    }
    if onlyAsRead, whole.guarded == nil { return }
    let plan = whole.plan
    var runs = MaskedRuns(whole, writer)
    let actions = decisions?.changes[index] ?? [:]
    var missing: [Int64] = []
    var versions: EntityVersions.Rows = []
    if !actions.isEmpty { knowsVersions = false }
    // A row that isn't changed is read for its identifier only.
    let unchanged = actions.isEmpty ? plan : plan.masked(to: [])
    let planOfRow = { (row: Int) throws -> InputPlan in
      try actions.isEmpty ? plan : runs.run(actions[row] ?? .proceed)?.plan ?? unchanged
    }
    try eachRow(of: change.rows, planOfRow, writer, at: pointers.rows) { row, place in
      let identifier = try identifier(writer, place)
      let run = try actions.isEmpty ? runs.whole : runs.run(actions[row] ?? .proceed)
      guard let run else { return versions.append((identifier, 0)) }
      guard try writer.update(identifier, run, session, place, onlyAsRead: onlyAsRead) else {
        return missing.append(identifier)
      }
      result.updated += 1
      if writer.newVersion == nil { knowsVersions = false }
      versions.append((identifier, writer.newVersion ?? 0))
      if actions[row] == .overwrite { try overwrite(index, row, identifier) }
    }
    if onlyAsRead, !missing.isEmpty { return }
    guard missing.isEmpty else { throw writer.layout.missing(missing, at: "\(pointer)/rows") }
    writtenVersions.add(versions, of: change.entity)
  }

  /// Reads rows into the writer's cells, one by one, and calls `store` for each valid one.
  ///
  /// `base` is the pointer to the rows.
  private func eachRow(
    of rows: RowBatch,
    _ plan: (Int) throws -> InputPlan,
    _ writer: EntityWriter,
    at base: String,
    store: (Int, RowPointer) throws -> Void
  ) throws {
    try rows.eachRow { row, reader in
      if row & 63 == 0 { try session.control.check() }
      let place = RowPointer.row(base: base, row)
      let plan = try plan(row)
      if try writer.readRow(&reader, plan, session, place) {
        try store(row, place)
        session.deferredValues?.locate(place.pointer)
      } else if plan.hasLinks, let identifier = writer.links.identifier {
        session.deferredValues?.excuse(identifier, writer.layout)
      }
    }
  }

  private func identifier(_ writer: EntityWriter, _ place: RowPointer) throws -> Int64 {
    if let identifier = writer.links.identifier { return identifier }
    if let name = writer.links.temporary, let row = session.temporaries[name] {
      return row.identifier
    }
    throw DepotError(.type, "A row to change must say its $id.").at(place.pointer)
  }
}

extension SaveRequest {
  /// Whether the only change is of one row, whose version the client says without other base values.
  fileprivate var changesOneRowAsRead: Bool {
    guard updates.count == 1, inserts.isEmpty, deletes.isEmpty, reads.isEmpty,
      policy == nil || policy == .error
    else { return false }
    return updates[0].rows.count == 1 && updates[0].base == nil
      && updates[0].columns.contains("$version")
  }
}
