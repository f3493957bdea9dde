internal import DepotProtocol
internal import DepotSQLite

/// Writes the changes that a plan of an undo makes, in a session that its caller begins and ends.
@Memberwise("plan", "session")
struct UndoWriting {
  private let plan: UndoPlan
  private let session: ChangeSession

  private var entities: EntityWriters { session.entities }

  /// The place of all values in error messages.
  private static let place = RowPointer.set(base: "/args")

  /// Rows of an entity with values of the same properties.
  private struct Group {
    var columns: [String]
    var rows: [(identifier: Int64, values: [String: HistoryValue])] = []

    /// Returns a row's values in the order of the columns.
    func values(of row: Int) -> [HistoryValue] { columns.compactMap { rows[row].values[$0] } }
  }

  /// Inserts deleted rows again, with versions greater than their last ones, and updates others.
  func writeRows(_ effect: inout WriteEffect) throws {
    session.recreated = [:]
    for (key, row) in plan.recreated {
      session.recreated[key.root, default: [:]][key.identifier] = row.layout
    }
    for (entity, group) in Self.groups(plan.insertions) { try insert(group, entity, &effect) }
    for (entity, group) in Self.groups(plan.updates) { try update(group, entity, &effect) }
    for (key, row) in plan.recreated where row.version > 0 {
      _ = try entities.writer(row.layout.name).change(key.identifier, [], step: row.version)
    }
  }

  private static func groups(
    _ rows: [Inverse.Key: UndoPlan.Values]
  ) -> [(entity: String, group: Group)] {
    let groups = Dictionary(grouping: rows) { row in
      [row.value.layout.name] + row.value.values.keys.sorted()
    }
    return groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { names, rows in
      let sorted = rows.map { ($0.key.identifier, $0.value.values) }.sorted { $0.0 < $1.0 }
      return (names[0], Group(columns: Array(names.dropFirst()), rows: sorted))
    }
  }

  private func insert(_ group: Group, _ entity: String, _ effect: inout WriteEffect) throws {
    let writer = try entities.writer(entity)
    let run = try writer.insertRun(group.columns, .error)
    var outcome = InsertResult()
    for (index, row) in group.rows.enumerated() {
      if index & 63 == 0 { try session.control.check() }
      let isSound = try writer.takeRow(group.values(of: index), run.plan, session, Self.place)
      guard isSound else { continue }
      _ = try writer.insertRow(run, session, Self.place, &outcome, as: row.identifier)
      session.deferredValues?.locate(Self.place.pointer)
    }
    effect.rowsInserted += outcome.inserted
  }

  private func update(_ group: Group, _ entity: String, _ effect: inout WriteEffect) throws {
    let writer = try entities.writer(entity)
    let run = try writer.updates.plan(group.columns, .values) {
      try writer.updateRun(InputPlan(try writer.columns(group.columns, at: Self.place.pointer)))
    }
    for (index, row) in group.rows.enumerated() {
      if index & 63 == 0 { try session.control.check() }
      let values = group.values(of: index)
      guard try writer.takeRow(values, run.plan, session, Self.place) else {
        session.deferredValues?.excuse(row.identifier, writer.layout)
        continue
      }
      guard try writer.update(row.identifier, run, session, Self.place) else {
        throw writer.layout.missing([row.identifier])
      }
      effect.rowsUpdated += 1
      session.deferredValues?.locate(Self.place.pointer)
    }
  }

  /// Changes the relationships from many to many.
  func writeLinks(_ effect: inout WriteEffect) throws {
    for (key, links) in plan.links {
      let writer = try entities.writer(key.entity)
      let column = try writer.columns([key.relationship], at: Self.place.pointer)[0]
      guard case .toMany(let link) = column.target else {
        throw writer.layout.unknownAttribute(key.relationship)
      }
      let targets = try links.add.sorted().map { try session.target($0, of: link) }
      let edit = TargetEdit.edit(add: targets, remove: links.remove.sorted(), place: nil)
      session.note([(link, edit, Self.place.pointer)], of: key.identifier, isNew: false)
      effect.rowsUpdated += 1
    }
  }
}
