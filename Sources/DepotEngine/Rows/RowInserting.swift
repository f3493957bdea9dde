internal import DepotProtocol
internal import DepotSQLite

/// The result of an insert.
struct InsertResult {
  var inserted = 0
  var updated = 0
  var skipped = 0
  /// The identifier of each row; `nil` for an ignored row.
  var identifiers: [Int64?] = []
  var rejected: [(row: Int, error: DepotError)] = []
  /// Whether the request asks for each of these lists.
  var (listsIdentifiers, listsRejects) = (true, false)

  /// The counts before a row.
  struct Counts {
    fileprivate let inserted: Int
    fileprivate let updated: Int
    fileprivate let skipped: Int
    fileprivate let identifiers: Int

    init(_ result: InsertResult) {
      inserted = result.inserted
      updated = result.updated
      skipped = result.skipped
      identifiers = result.identifiers.count
    }
  }

  /// Restores the counts before a row.
  fileprivate mutating func restore(_ counts: Counts) {
    inserted = counts.inserted
    updated = counts.updated
    skipped = counts.skipped
    identifiers.removeSubrange(counts.identifiers...)
  }
}

/// The plan for all rows of inserts with the same columns.
@Memberwise
final class InsertPlan {
  let input: InputPlan
  /// The indexes of the columns that rows have values for.
  let named: Set<Int>
  /// The fields of required attributes without a value.
  let missing: [Int]
}

/// The plan for all rows of one insert.
@Memberwise("known")
struct InsertRun {
  private let known: InsertPlan
  let onConflict: InsertRequest.OnConflict
  /// The update that replaces a row.
  let replacement: UpdateRun?

  var plan: InputPlan { known.input }
  var named: Set<Int> { known.named }
  var missing: [Int] { known.missing }
}

extension EntityWriter {
  /// Stores the rows of a request.
  func insert(_ request: InsertRequest, _ session: ChangeSession) throws -> InsertResult {
    let run = try insertRun(request.columns, request.onConflict)
    if let result = try insertTogether(request, run, session) { return result }
    var result = InsertResult()
    result.identifiers.reserveCapacity(request.rows.count)
    let isAlone =
      request.reportsRejects
      && (run.plan.hasLinks || !demandingLinks.isEmpty || !layout.externalColumnIndices.isEmpty)
    try request.rows.eachRow { row, reader in
      if row & 63 == 0 { try session.control.check() }
      let place = RowPointer.row(base: "/args/rows", row)
      if request.reportsRejects {
        try insertOrReject(&reader, run, isAlone, session, place, row, &result)
      } else if try readRow(&reader, run.plan, session, place) {
        result.identifiers.append(try insertRow(run, session, place, &result))
      }
    }
    return result
  }

  private func insertOrReject(
    _ reader: inout RowReader,
    _ run: InsertRun,
    _ isAlone: Bool,
    _ session: ChangeSession,
    _ place: RowPointer,
    _ row: Int,
    _ result: inout InsertResult
  ) throws {
    let before = InsertResult.Counts(result)
    let count = session.violations.errors.count
    // If a row also changes others, the changes are undone together.
    let mark = isAlone ? entities.recorder?.mark() : nil
    if isAlone { try connection.statement("SAVEPOINT row").runBound() }
    var failure: DepotError?
    do {
      if try readRow(&reader, run.plan, session, place) {
        let identifier = try insertRow(run, session, place, &result)
        if isAlone {
          try session.applyLinkChanges()
          try session.checkTargets()
        }
        result.identifiers.append(identifier)
      }
      failure = session.violations.take(since: count)
    } catch let error as DepotError
      where error.code.class != "protocol" && error.code.class != "storage"
    {
      failure = session.violations.take(since: count) ?? error
    }
    if let failure {
      result.restore(before)
      result.identifiers.append(nil)
      result.rejected.append((row, failure.at(place.pointer)))
      if isAlone {
        try connection.statement("ROLLBACK TO row").runBound()
        if let mark { entities.recorder?.rollBack(to: mark) }
        session.forgetPending()
      }
    }
    if isAlone { try connection.statement("RELEASE row").runBound() }
    if mark != nil { entities.recorder?.release() }
  }

  func insertRun(
    _ columns: [String],
    _ onConflict: InsertRequest.OnConflict,
    at pointer: String = "/args",
    identifier: Bool = false
  ) throws -> InsertRun {
    guard !layout.entity.isAbstract else {
      throw DepotError(.usage, "\(layout.name) is abstract: only its subentities have rows.")
        .hint("Insert into one of those.").at("\(pointer)/entity")
    }
    useDefaults()
    let plan = try insertions.plan(columns, identifier ? .insertion : .values) {
      let columns = try self.columns(columns, at: "\(pointer)/columns", identifier: identifier)
      return insertPlan(InputPlan(columns))
    }
    let replacement =
      onConflict == .replace
      ? try updates.plan(columns, .replacement) { try updateRun(plan.input) } : nil
    return InsertRun(plan, onConflict: onConflict, replacement: replacement)
  }

  /// Returns the plan, with the required columns that it omits and that have no default.
  private func insertPlan(_ input: InputPlan) -> InsertPlan {
    let named = Set(input.places)
    let presences = Set(layout.composites.map(\.presence))
    return InsertPlan(
      input: input,
      named: named,
      missing: layout.fields.indices.filter { position in
        guard let place = layout.storedPositions[position], !named.contains(place),
          layout.fields[position].relationship == nil, !presences.contains(place),
          layout.fields[position].attribute.derivation == nil
        else { return false }
        return !layout.fields[position].attribute.isOptional && cells[place].isNull
      }
    )
  }

  /// Stores the row in the cells; returns its identifier, or the identifier of a conflicting row.
  @inline(__always)
  func insertRow(
    _ run: InsertRun,
    _ session: ChangeSession,
    _ place: @autoclosure () -> RowPointer,
    _ result: inout InsertResult,
    as assigned: Int64? = nil
  ) throws -> Int64? {
    if run.onConflict != .error, let identifier = try existing(session, place()) {
      guard let replacement = run.replacement else {
        result.skipped += 1
        return identifier
      }
      if try update(identifier, replacement, session, place()) { result.updated += 1 }
      return identifier
    }
    guard try complete(run, session, place()) else { return nil }
    let identifier = assigned ?? counter.take()
    guard try store(identifier, run, session, place()) else { return nil }
    if assigned != nil, !counter.isNew(identifier) {
      try entities.derivedAttributes().markReferrers(to: identifier, in: layout.root)
    }
    result.inserted += 1
    return identifier
  }

  private func existing(_ session: ChangeSession, _ place: RowPointer) throws -> Int64? {
    do {
      return try existing(session)
    } catch let error as DepotError {
      throw error.at(place.pointer)
    }
  }

  /// Sets missing values of a new row; returns whether it then has all required values.
  @inline(__always)
  func complete(
    _ run: InsertRun,
    _ session: ChangeSession,
    _ place: @autoclosure () -> RowPointer
  ) throws -> Bool {
    if run.missing.isEmpty, layout.composites.isEmpty { return true }
    return try completeRarely(run, session, place())
  }

  private func completeRarely(
    _ run: InsertRun,
    _ session: ChangeSession,
    _ place: RowPointer
  ) throws -> Bool {
    for composite in layout.composites {
      for place in composite.places where !isNamed(place, run.named, run.plan) {
        useDefault(at: place)
      }
    }
    var errors = try run.missing.map { try rule($0).required }
    errors += settle(
      layout.composites,
      wasPresent: Array(repeating: false, count: layout.composites.count),
      named: { self.isNamed($0, run.named, run.plan) }
    )
    for error in errors { try session.violate(error.at(place.pointer)) }
    return errors.isEmpty
  }

  /// Stores the cells as a new row, with its relationships; returns whether no rule is broken.
  @inline(__always)
  func store(
    _ identifier: Int64,
    _ run: InsertRun,
    _ session: ChangeSession,
    _ place: @autoclosure () -> RowPointer
  ) throws -> Bool {
    if run.plan.hasLinks { try prepareReferences(run.plan, session) }
    let clashes = try session.writing(
      self,
      nil,
      { self.cells[$0] },
      { try self.insertRow(identifier) }
    )
    if let clashes {
      try session.violate(uniqueError(clashes).at(place().pointer))
      return false
    }
    if run.plan.hasLinks { try finishReferences(identifier, run.plan, session, place()) }
    for (link, position) in demandingLinks {
      if let position, !cells[position].isNull { continue }
      session.look(at: link, of: identifier, because: .request(pointer: place().pointer))
    }
    return true
  }

  private func prepareReferences(_ plan: InputPlan, _ session: ChangeSession) throws {
    for reference in links.references where plan.plain[reference.index].hasConsequences {
      guard case .reference(let link, let column, _) = plan.columns[reference.index].target else {
        continue
      }
      try prepare(link, column, of: nil, from: nil, to: reference.target, session)
    }
  }

  private func finishReferences(
    _ identifier: Int64,
    _ plan: InputPlan,
    _ session: ChangeSession,
    _ place: RowPointer
  ) throws {
    for reference in links.references
    where plan.plain[reference.index].hasConsequences && reference.target != nil {
      try finish(reference, plan, of: identifier, from: nil, session, place)
    }
    session.note(links.changes, of: identifier, isNew: true)
  }
}

extension EntityLayout {
  /// The index of the column with a row's order among the rows with the same destination.
  func place(ofOrder column: ReferenceColumn) -> Int? {
    guard let order = column.orderIndex else { return nil }
    let name = column.root.stored[order].name
    return stored.firstIndex { $0.name == name }
  }
}
