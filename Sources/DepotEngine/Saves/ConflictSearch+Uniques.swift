internal import DepotProtocol
internal import DepotSQLite

/// The search for stored rows that keep the unique values which a save sets in other rows.
extension ConflictSearch {
  /// The most repetitions for all rows.
  private static let rounds = 64

  /// Decides about rows to change, and finds rows whose unique values may become free.
  ///
  /// A row that keeps its values may conflict with another, so this repeats until nothing changes.
  func findClashes() throws {
    var hasChanged = true
    var round = 0
    while hasChanged {
      round += 1
      guard round <= Self.rounds else {
        throw DepotError(.unique, "Too many rows would take unique values that other rows keep.")
          .hint("Change fewer rows at once that take over each other's values.").at("/args/update")
      }
      hasChanged = false
      decisions.moving = try moving()
      for index in request.updates.indices where try change(index) {
        hasChanged = true
      }
    }
    if !refused.isEmpty {
      for index in request.inserts.indices { try insertion(index) }
    }
  }

  /// Returns the rows of the save that may release unique values.
  private func moving() throws -> MovingRows {
    var moving = MovingRows()
    for (index, deletion) in request.deletes.enumerated() {
      let layout = try entities.writer(deletion.entity, at: "/args/delete/\(index)/entity").layout
      guard !layout.uniques.isEmpty else { continue }
      let kept = decisions.kept[index] ?? []
      for identifier in deletion.identifiers where !kept.contains(identifier) {
        moving.delete(identifier, layout.root)
      }
    }
    for (index, change) in request.updates.enumerated() {
      let pointer = "/args/update/\(index)"
      let writer = try entities.writer(change.entity, at: "\(pointer)/entity")
      guard !writer.layout.uniques.isEmpty else { continue }
      let columns = try writer.changedColumns(change.columns, at: "\(pointer)/columns")
      try eachIdentifier(of: change) { row, identifier in
        let positions = decisions.action(index, row).positions(columns.indices)
        let names = positions.flatMap { columns[$0].places }
          .map { writer.layout.stored[$0].name }
        moving.move(identifier, writer.layout.root, Set(names))
      }
    }
    return moving
  }

  private func eachIdentifier(
    of change: SaveRequest.Change,
    _ body: (Int, Int64) throws -> Void
  ) throws {
    guard let column = change.columns.firstIndex(of: "$id") else { return }
    try change.rows.eachField(in: column) { row, field in
      if let identifier = field.int64 { try body(row, identifier) }
    }
  }

  // MARK: Rows that are to change

  /// Decides about a batch's conflicting rows; returns whether any is dropped or partly written.
  private func change(_ index: Int) throws -> Bool {
    let change = request.updates[index]
    let pointer = "/args/update/\(index)"
    let writer = try entities.writer(change.entity, at: "\(pointer)/entity")
    let columns = try writer.changedColumns(change.columns, at: "\(pointer)/columns")
    let places = Set(columns.flatMap(\.places))
    let uniques = writer.layout.uniques.filter { $0.columnIndices.contains(where: places.contains) }
    guard !uniques.isEmpty else { return false }
    let plan = InputPlan(columns)
    let texts = RowTexts(change.rows)
    var hasChanged = false
    try eachRow(of: change.rows, plan, writer, at: pointer) { row, place in
      let positions = decisions.action(index, row).positions(columns.indices)
      let written = Set(positions.flatMap { columns[$0].places })
      guard let identifier = writer.links.identifier, !written.isEmpty,
        let clash = try clash(of: identifier, written, writer)
      else { return }
      let properties = positions.filter { columns[$0].isProperty }
      let resolution = ConflictResolution.clash(
        properties.map { columns[$0].places.contains(where: clash.unique.columnIndices.contains) },
        policy
      )
      let conflict = try describe(clash, writer, resolution, at: place.pointer) {
        $0.identifier = identifier
        $0.client = try texts.members(row, change.columns)
      }
      guard resolution.action != .refuse else {
        unique = unique ?? writer.uniqueError(clash).at(place.pointer)
        if !refused.conflicts.contains(where: { $0.pointer == conflict.pointer }) {
          refused.add(conflict)
        }
        return
      }
      decisions.conflicts.add(conflict)
      if case .write(let free) = resolution.action {
        decisions.changes[index, default: [:]][row] = .write(free.map { properties[$0] })
      } else {
        decisions.changes[index, default: [:]][row] = resolution.action
      }
      hasChanged = true
    }
    return hasChanged
  }

  /// Returns the stored row that keeps the new unique values of a row.
  private func clash(
    of identifier: Int64,
    _ written: Set<Int>,
    _ writer: EntityWriter
  ) throws -> UniqueClash? {
    try writer.clashes(of: identifier, all: true) { written.contains($0) ? writer.cells[$0] : nil }
      .first { clash in
        !decisions.moving.contains(clash, writer.layout)
          && clash.unique.columnIndices.contains(where: written.contains)
      }
  }

  // MARK: Rows to insert

  private func insertion(_ index: Int) throws {
    let insertion = request.inserts[index]
    let pointer = "/args/insert/\(index)"
    let writer = try entities.writer(insertion.entity, at: "\(pointer)/entity")
    guard policy == .error, request.onConflict == .error, !writer.layout.uniques.isEmpty else {
      return
    }
    let run = try writer.insertRun(insertion.columns, .error, at: pointer, identifier: true)
    let texts = RowTexts(insertion.rows)
    try eachRow(of: insertion.rows, run.plan, writer, at: pointer) { row, place in
      let clash = try writer.clashes().first { !decisions.moving.contains($0, writer.layout) }
      guard let clash else { return }
      unique = unique ?? writer.uniqueError(clash).at(place.pointer)
      let resolution = ConflictResolution.clash(nil, policy)
      try refused.add(
        try describe(clash, writer, resolution, at: place.pointer) {
          $0.client = try texts.members(row, insertion.columns)
        }
      )
    }
  }

  // MARK: Both

  /// Calls `body` for each row with valid values; other rows are reported when they are stored.
  private func eachRow(
    of rows: RowBatch,
    _ plan: InputPlan,
    _ writer: EntityWriter,
    at pointer: String,
    _ body: (Int, RowPointer) throws -> Void
  ) throws {
    try rows.eachRow { row, reader in
      if row & 63 == 0 { try session.control.check() }
      let place = RowPointer.row(base: "\(pointer)/rows", row)
      let count = session.violations.errors.count
      let isSound = try writer.readRow(&reader, plan, session, place)
      _ = session.violations.take(since: count)
      if isSound { try body(row, place) }
    }
  }

  private func describe(
    _ clash: UniqueClash,
    _ writer: EntityWriter,
    _ resolution: ConflictResolution,
    at pointer: String,
    _ complete: (inout RowConflict) throws -> Void
  ) throws -> RowConflict {
    var conflict = RowConflict(
      SaveConflict(
        .unique,
        entity: writer.layout.name,
        identifier: clash.identifier,
        pointer: pointer
      )
    )
    try complete(&conflict)
    try conflict.describe(clash.identifier, clash.unique.paths, writer, properties)
    conflict.decision = resolution.decision
    return conflict
  }
}

extension RowConflict {
  /// Adds the stored row with the unique values; the client's values are already added.
  mutating func describe(
    _ existing: Int64,
    _ paths: [String],
    _ writer: EntityWriter,
    _ properties: (String, [String]) throws -> StoredProperties
  ) throws {
    facts.existing = existing
    facts.properties = paths
    for name in ["$id", "$version"] { client[name] = nil }
    let root = try writer.entities.writer(writer.layout.root)
    _ = try root.read(existing) { facts.storeVersion = $0.integer(1) }
    let names = Set(client.keys).union(paths).sorted()
    store =
      try properties(writer.layout.name, names).read(existing)?
      .mapValues { .stored($0) } ?? [:]
  }
}

extension InputColumn {
  /// Whether the column is a property of the row.
  fileprivate var isProperty: Bool {
    switch target {
    case .identifier, .version, .ignored: false
    default: true
    }
  }
}

extension ConflictResolution.Action {
  /// The positions of the columns to write, among all columns from the client.
  func positions(_ all: Range<Int>) -> [Int] {
    switch self {
    case .proceed, .overwrite, .recreate: Array(all)
    case .write(let positions): positions
    case .drop, .refuse: []
    }
  }
}
