internal import DepotProtocol
internal import DepotSQLite

/// The plan for all rows of one update.
@Memberwise
final class UpdateRun {
  let plan: InputPlan
  /// The indexes of the columns that rows have values for.
  let named: Set<Int>
  /// The indexes of the columns to write.
  let positions: [Int]
  /// The same indexes, ascending, for the change recorder; `nil` if other columns change too.
  let recorded: [Int]?
  /// The optional composites with changed parts.
  let composites: [CompositeLayout]
  /// The statement that writes the columns; `nil` if there are none to write.
  let statement: Statement?
  /// The statement that does so if the row has a version, and other values; `nil` if none is known.
  let guarded: Statement?
  /// The values computed from each row.
  let computed: ComputedValues?
}

extension EntityWriter {
  /// Updates the rows of a request, or the existing rows of a chunk.
  ///
  /// It returns the changed rows.
  func update(
    _ request: UpdateRequest,
    _ session: ChangeSession,
    only chunk: [Int64]? = nil
  ) throws -> [Int64] {
    var run = try updates.plan(request.columns, .values) {
      try updateRun(InputPlan(try columns(request.columns, at: "/args/set", isKeyed: true)))
    }
    let plan = run.plan
    var computed: ComputedValues?
    if !request.computed.isEmpty {
      let values = try ComputedValues(request.computed, self)
      computed = values
      run = try updateRun(plan, values)
    }
    let identifiers =
      try chunk
      ?? identifiers(
        request.rows,
        includingDescendants: request.includesSubentities,
        session.control
      )
    let place = RowPointer.set(base: "/args/set")
    var missing: [Int64] = []
    try request.values.json.withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes)
      if try reader.beginRow() {
        guard try readRow(&reader, plan, session, place) else { return }
      } else if computed == nil || !plan.columns.isEmpty {
        throw DepotError(.usage, "There are no values to set.").at("/args/set")
      }
      // Rows that are named, or were found earlier, may no longer exist.
      if chunk == nil, request.rows.predicate != nil,
        let plain = try PlainUpdate(run, self, session)
      {
        return try plain.update(identifiers)
      }
      for (index, identifier) in identifiers.enumerated() {
        if index & 63 == 0 { try session.control.check() }
        if try !update(identifier, run, session, place) { missing.append(identifier) }
      }
    }
    if missing.isEmpty { return identifiers }
    guard chunk != nil else { throw layout.missing(missing) }
    let gone = Set(missing)
    return identifiers.filter { !gone.contains($0) }
  }

  func updateRun(_ plan: InputPlan, _ computed: ComputedValues? = nil) throws -> UpdateRun {
    let places = plan.places + (computed?.places ?? [])
    let named = Set(places)
    guard named.count == places.count else {
      throw DepotError(.usage, "A value is both given and computed.").at("/args/compute")
    }
    let composites = layout.composites.filter { composite in
      composite.places.contains(where: named.contains)
    }
    var positions = places
    for place in composites.flatMap(\.places) where !positions.contains(place) {
      positions.append(place)
    }
    for column in plan.columns {
      guard case .reference(_, let reference, _) = column.target,
        let place = layout.place(ofOrder: reference)
      else { continue }
      positions.append(place)
    }
    let isGuarded =
      computed == nil && composites.isEmpty && !positions.isEmpty
      && !positions.contains(where: layout.externalColumnIndices.contains)
      && plan.columns.contains { if case .version = $0.target { true } else { false } }
    return UpdateRun(
      plan: plan,
      named: named,
      positions: positions,
      recorded: layout.isRoot ? positions.sorted() : nil,
      composites: composites,
      statement: positions.isEmpty ? nil : try updateStatement(positions),
      guarded: isGuarded ? try guardedStatement(positions) : nil,
      computed: computed
    )
  }

  /// Updates a row with the values that were read; returns whether the row exists.
  ///
  /// With `onlyAsRead`, it writes nothing and returns `false` unless one statement finds that the row
  /// has the version that the client has read, and other values.
  func update(
    _ identifier: Int64,
    _ run: UpdateRun,
    _ session: ChangeSession,
    _ place: RowPointer,
    onlyAsRead: Bool = false
  ) throws -> Bool {
    newVersion = nil
    guard run.plan.hasLinks, !links.references.isEmpty || !links.changes.isEmpty else {
      return try write(identifier, run, session, place, onlyAsRead)
    }
    if onlyAsRead { return false }
    guard try isThere(identifier) else { return false }
    var previous: [Int64?] = []
    for reference in links.references {
      guard case .reference(let link, let column, _) = run.plan.columns[reference.index].target
      else { continue }
      let old = try session.target(of: identifier, in: column)
      previous.append(old)
      try prepare(link, column, of: identifier, from: old, to: reference.target, session)
    }
    guard try run.statement == nil || write(identifier, run, session, place) else { return false }
    for (reference, old) in zip(links.references, previous) where old != reference.target {
      try finish(reference, run.plan, of: identifier, from: old, session, place)
    }
    session.note(links.changes, of: identifier, isNew: false)
    return true
  }

  func isThere(_ identifier: Int64) throws(SQLiteError) -> Bool {
    try version(of: identifier) != nil
  }

  /// Returns the version of a row; `nil` if it doesn't exist.
  func version(of identifier: Int64) throws(SQLiteError) -> Int64? {
    defer { existence.restart() }
    try existence.bind(identifier, at: 1)
    return try existence.step() ? existence.row.integer(0) : nil
  }

  func prepare(
    _ link: RelationshipLink,
    _ column: ReferenceColumn,
    of identifier: Int64?,
    from old: Int64?,
    to target: Int64?,
    _ session: ChangeSession
  ) throws {
    if let target { try session.makeRoom(link, column, for: identifier, at: target) }
    guard let place = layout.place(ofOrder: column), let order = column.orderIndex else { return }
    if let identifier, old == target {
      // The row keeps its position.
      let kept = ReferenceColumn(root: column.root, index: order, orderIndex: nil, isUnique: false)
      cells[place] = try connection.target(of: identifier, in: kept).map(Cell.integer) ?? .null
    } else {
      cells[place] = try session.order(column, of: target).map(Cell.integer) ?? .null
    }
  }

  func finish(
    _ reference: RowReference,
    _ plan: InputPlan,
    of identifier: Int64,
    from old: Int64?,
    _ session: ChangeSession,
    _ place: RowPointer
  ) throws {
    let input = plan.columns[reference.index]
    guard case .reference(let link, let column, _) = input.target else { return }
    if reference.target == nil {
      let pointer = place.pointer(reference.index, input)
      session.look(at: link, of: identifier, because: .request(pointer: pointer))
    }
    if link.isSymmetric {
      return try session.makeSymmetric(
        link,
        column,
        of: identifier,
        from: old,
        to: reference.target
      )
    }
    guard let inverse = try entities.inverse(of: link) else { return }
    if let old { session.look(at: inverse, of: old, because: .change) }
    if let target = reference.target { session.look(at: inverse, of: target, because: .change) }
  }

  /// Writes the columns of a row.
  private func write(
    _ identifier: Int64,
    _ run: UpdateRun,
    _ session: ChangeSession,
    _ place: RowPointer,
    _ onlyAsRead: Bool = false
  ) throws -> Bool {
    guard let statement = run.statement else { return try !onlyAsRead && isThere(identifier) }
    if let computed = run.computed {
      let errors = try computed.read(identifier, into: cells, session.control)
      for error in errors { try session.violate(error) }
      // SQLite would also reject a null, but with a less helpful message.
      guard errors.isEmpty else { return try isThere(identifier) }
    }
    let root = try layout.isRoot ? self : entities.writer(layout.root)
    let step = session.versionStep(root, identifier)
    var outcome = RowUpdate.missing
    let value = { (place: Int) in run.positions.contains(place) ? self.cells[place] : nil }
    let clashes = try session.writing(self, identifier, value) {
      if step == 1, let next = try self.updateRow(identifier, run, readAs: self.links.version) {
        outcome = .written(version: next)
        return
      }
      if onlyAsRead { return }
      guard !run.composites.isEmpty else {
        outcome = try self.updateRow(identifier, run, with: statement, step: step)
        return
      }
      outcome = try self.updateRow(identifier, run, with: statement, step: step) { row in
        try self.settle(row, run, session, place)
      }
    }
    switch outcome {
    case .written(let version) where step > 0: newVersion = version
    case .unchanged where step > 0: session.keepVersion(root, identifier)
    case .missing where onlyAsRead: session.keepVersion(root, identifier)
    default: break
    }
    guard let clashes else { return outcome != .missing }
    try session.violate(uniqueError(clashes).at(place.pointer))
    return true
  }

  /// Keeps the stored values of unchanged composites, and makes their presences consistent.
  private func settle(
    _ row: borrowing Row,
    _ run: UpdateRun,
    _ session: ChangeSession,
    _ place: RowPointer
  ) throws {
    rowArena.removeAll()
    for composite in run.composites {
      for place in composite.places where !isNamed(place, run.named, run.plan) {
        keep(Cell(row, place + 2), at: place)
      }
    }
    let wasPresent = run.composites.map { row.integer($0.presence + 2) != 0 }
    let errors = settle(run.composites, wasPresent: wasPresent) { place in
      self.isNamed(place, run.named, run.plan)
    }
    for error in errors { try session.violate(error.at(place.pointer)) }
  }

  /// Returns the identifiers of the request's rows, without duplicates.
  func identifiers(
    _ rows: RowSelection,
    includingDescendants: Bool,
    _ control: CallControl
  ) throws -> [Int64] {
    switch rows {
    case .identifiers(let identifiers):
      if !includingDescendants { try refuseDescendants(identifiers) }
      guard identifiers.count > 1 else { return identifiers }
      var seen: Set<Int64> = []
      return identifiers.filter { seen.insert($0).inserted }
    case .predicate(let expression):
      var result: [Int64] = []
      try select(expression, includingDescendants: includingDescendants, control) {
        result.append($0)
      }
      return result
    }
  }

  /// Finds the rows that satisfy a predicate and an additional SQL condition.
  func select(
    _ expression: QueryExpression,
    includingDescendants: Bool,
    _ control: CallControl,
    from condition: String? = nil,
    _ values: [SQLiteValue] = [],
    _ body: (Int64) -> Void
  ) throws {
    let predicate = try PredicateSQL.compile(expression, for: layout, in: entities.catalog)
    let kind = layout.kindCondition(in: "t0", includingDescendants: includingDescendants)
    let conditions = ["(\(predicate.sql))", kind, condition].compactMap(\.self)
    let statement = try connection.statement(
      "SELECT t0.id FROM \(predicate.source) WHERE \(conditions.joined(separator: " AND "))"
    )
    try connection.stoppable(by: control) {
      try statement.run(predicate.parameters + values) { body($0.integer(0)) }
    }
    control.noteScanned(rows: statement.take(.scannedRows))
  }
}

extension Connection {
  /// Runs statements, and interrupts them when the call is cancelled.
  ///
  /// An interrupted statement that writes rolls back the whole transaction, so it must be the only
  /// one.
  func stoppable<Result>(by control: CallControl, _ body: () throws -> Result) throws -> Result {
    watch(every: 4000, ProgressCheck { (try? control.check()) == nil })
    defer { unwatch() }
    do {
      return try body()
    } catch let error as SQLiteError where error.kind == .interrupted {
      try control.check()
      throw error
    }
  }
}

extension EntityWriter {
  /// Checks that no row is of a descendant entity.
  private func refuseDescendants(_ identifiers: [Int64]) throws {
    guard let own = layout.kindCondition(in: layout.table, includingDescendants: false) else {
      return
    }
    let statement = try connection.statement(
      "SELECT 1 FROM \(layout.table) WHERE id = ?1 AND NOT \(own)"
    )
    let others = try identifiers.filter { try statement.first([.integer($0)]) { _ in } != nil }
    guard others.isEmpty else { throw layout.missing(others) }
  }
}
