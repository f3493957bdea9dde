internal import DepotProtocol
internal import DepotSQLite

/// The new destinations of a row's relationship that isn't stored in the row itself.
struct RelationshipChange {
  var link: RelationshipLink
  var row: Int64
  /// Whether the row was inserted by the same request.
  var isNew: Bool
  var edit: TargetEdit
  /// The pointer to the destinations in the request.
  var pointer: String
}

/// A change of a row's destinations, whose identifiers are distinct and exist.
enum TargetEdit {
  /// Replace all destinations by these, in this order.
  case set([Int64])
  /// Add and remove destinations.
  case edit(add: [Int64], remove: [Int64], place: Placement?)

  /// The places of the destinations in an ordered relationship; without one, new ones are last.
  enum Placement {
    /// The position of the first added one.
    case at(Int)
    /// These destinations have this order, as far as they are there.
    case order([Int64])
  }
}

extension ChangeSession {
  /// Adds the relationship changes of a written row.
  func note(_ changes: [RowLinks.Change], of row: Int64, isNew: Bool) {
    linkChanges += changes.map {
      RelationshipChange(link: $0.link, row: row, isNew: isNew, edit: $0.edit, pointer: $0.pointer)
    }
  }

  /// Applies all relationship changes.
  func applyLinkChanges() throws {
    let changes = linkChanges
    linkChanges = []
    for change in changes {
      try control.check()
      look(at: change.link, of: change.row, because: .request(pointer: change.pointer))
      do {
        switch change.link.storage {
        case .column: throw DepotError(.bug, "\(change.link.name) is stored in its own row.")
        case .foreign(let column): try apply(change, column)
        case .join(let table): try apply(change, table)
        }
      } catch let error as DepotError {
        throw error.at(change.pointer)
      }
      deferredValues?.locate(change.pointer)
    }
  }

  // MARK: Columns of other rows

  private func apply(_ change: RelationshipChange, _ column: ReferenceColumn) throws {
    let row = change.row
    guard let back = try entities.inverse(of: change.link) else { return }
    func members() throws -> [Int64] { try connection.rows(with: column, row).map(\.identifier) }
    switch change.edit {
    case .set(let wanted):
      let old = change.isNew ? [] : try members()
      let keep = Set(wanted)
      for member in old where !keep.contains(member) {
        try setReference(back, column, of: member, to: nil, because: .change)
      }
      try place(wanted, in: change, column, back, since: old)
    case .edit(let add, let remove, let placement):
      let old = placement == nil ? [] : try members()
      for identifier in remove where try connection.target(of: identifier, in: column) == row {
        try setReference(back, column, of: identifier, to: nil, because: .change)
      }
      for identifier in add where try connection.target(of: identifier, in: column) != row {
        try setReference(back, column, of: identifier, to: row, because: .change)
      }
      guard let placement, column.orderIndex != nil else { return }
      let wanted = OrderedList.place(add, placement, try members())
      try place(wanted, in: change, column, back, since: old)
    }
  }

  /// Sets a row as the destination of these rows, in this order.
  private func place(
    _ wanted: [Int64],
    in change: RelationshipChange,
    _ column: ReferenceColumn,
    _ back: RelationshipLink,
    since old: [Int64]
  ) throws {
    let row = change.row
    for identifier in wanted where try connection.target(of: identifier, in: column) != row {
      try setReference(back, column, of: identifier, to: row, because: .change)
    }
    guard let orderIndex = column.orderIndex else { return }
    let root = try entities.writer(column.root.name)
    for (identifier, order) in OrderedList.changes(
      to: wanted,
      from: try connection.rows(with: column, row)
    ) {
      _ = try root.change(identifier, [(orderIndex, .integer(order))], step: 0)
    }
    if OrderedList.isReordered(wanted, since: old) { noteOrder(in: change) }
    forgetOrder(column.quoted + column.root.name, of: row)
  }

  /// Records that the destinations of a row have another order.
  private func noteOrder(in change: RelationshipChange) {
    guard !change.isNew else { return }
    entities.recorder?.journal.noteOrder(of: change.row, change.link.layout.name, change.link.owner)
  }

  // MARK: Join tables

  private func apply(_ change: RelationshipChange, _ table: JoinTable) throws {
    func members() throws -> [Int64] {
      try table.members(of: change.row, on: change.link.side).map(\.identifier)
    }
    switch change.edit {
    case .set(let wanted):
      let old = change.isNew ? [] : try members()
      let keep = Set(wanted)
      for member in old where !keep.contains(member) {
        try disconnect(change.link, table, change.row, member)
      }
      for identifier in wanted { try connect(change.link, table, change.row, identifier) }
      if !change.isNew || wanted.count > 1 { try order(wanted, in: change, table, since: old) }
    case .edit(let add, let remove, let placement):
      let old = placement == nil ? [] : try members()
      for identifier in remove { try disconnect(change.link, table, change.row, identifier) }
      for identifier in add { try connect(change.link, table, change.row, identifier) }
      guard let placement else { return }
      let wanted = OrderedList.place(add, placement, try members())
      try order(wanted, in: change, table, since: old)
    }
  }

  private func order(
    _ wanted: [Int64],
    in change: RelationshipChange,
    _ table: JoinTable,
    since old: [Int64]
  ) throws {
    let side = change.link.side
    guard table.hasOrder(side) else { return }
    for (identifier, order) in OrderedList.changes(
      to: wanted,
      from: try table.members(of: change.row, on: side)
    ) {
      let (source, target) =
        side == .source ? (change.row, identifier) : (identifier, change.row)
      try table.setOrder(order, of: source, target, on: side)
    }
    // If nothing came or went, the table's own changes show it.
    let isRecorded = side == .source && Set(wanted) == Set(old)
    if !isRecorded, OrderedList.isReordered(wanted, since: old) { noteOrder(in: change) }
    forgetOrder(table.name + side.column, of: change.row)
  }

  private func connect(
    _ link: RelationshipLink,
    _ table: JoinTable,
    _ near: Int64,
    _ far: Int64
  ) throws {
    let isSource = link.side == .source
    let (source, target) = isSource ? (near, far) : (far, near)
    try add(table, source, target)
    if link.isSymmetric, source != target { try add(table, target, source) }
    try look(behind: link, of: far)
  }

  private func add(_ table: JoinTable, _ source: Int64, _ target: Int64) throws {
    let orders = (
      source: try table.isOrdered.source
        ? nextOrder(table.name + "source", of: source) {
          try table.lastOrder(of: source, on: .source)
        } : nil,
      target: try table.isOrdered.target
        ? nextOrder(table.name + "target", of: target) {
          try table.lastOrder(of: target, on: .target)
        } : nil
    )
    _ = try table.insert(source, target, orders.source, orders.target)
  }

  private func disconnect(
    _ link: RelationshipLink,
    _ table: JoinTable,
    _ near: Int64,
    _ far: Int64
  ) throws {
    let isSource = link.side == .source
    let (source, target) = isSource ? (near, far) : (far, near)
    guard try table.delete(source, target) else { return }
    if link.isSymmetric { _ = try table.delete(target, source) }
    try look(behind: link, of: far)
  }

  /// Schedules a check of the inverse relationship of a row for the end of the request.
  private func look(behind link: RelationshipLink, of row: Int64) throws {
    guard let inverse = try link.isSymmetric ? link : entities.inverse(of: link) else { return }
    look(at: inverse, of: row, because: .change)
  }
}

/// The order numbers of a row's list, which increase with gaps.
enum OrderedList {
  /// Whether a list has another order than its changes show, with new members last by identifier.
  static func isReordered(_ wanted: [Int64], since old: [Int64]) -> Bool {
    let (known, kept) = (Set(old), Set(wanted))
    let shown = old.filter(kept.contains) + wanted.filter { !known.contains($0) }.sorted()
    return wanted != shown
  }

  /// Returns the members of a list in the order that an edit gives them.
  static func place(
    _ added: [Int64],
    _ placement: TargetEdit.Placement,
    _ members: [Int64]
  ) -> [Int64] {
    switch placement {
    case .at(let position): insert(added, into: members, at: position)
    case .order(let order): arrange(members, as: order)
    }
  }

  /// Returns the members in an order; others stay behind the ones before them.
  private static func arrange(_ members: [Int64], as order: [Int64]) -> [Int64] {
    let (present, placed) = (Set(members), Set(order))
    var followers: [Int64?: [Int64]] = [:]
    var last: Int64?
    for member in members {
      if placed.contains(member) {
        last = member
      } else {
        followers[last, default: []].append(member)
      }
    }
    return order.filter(present.contains).reduce(into: followers[nil] ?? []) { result, member in
      result.append(member)
      result += followers[member] ?? []
    }
  }

  /// Returns the list with `added` inserted at a position.
  static func insert(_ added: [Int64], into members: [Int64], at position: Int) -> [Int64] {
    let moved = Set(added)
    var result = members.filter { !moved.contains($0) }
    result.insert(contentsOf: added, at: min(max(position, 0), result.count))
    return result
  }

  /// Returns the order numbers to change so that the rows are in the `wanted` order.
  static func changes(
    to wanted: [Int64],
    from members: [(identifier: Int64, order: Int64)]
  ) -> [(identifier: Int64, order: Int64)] {
    let orders = Dictionary(members.map { ($0.identifier, $0.order) }) { first, _ in first }
    var result: [(identifier: Int64, order: Int64)] = []
    var last = Int64.min
    for (index, identifier) in wanted.enumerated() {
      let order = orders[identifier] ?? .min
      if order > last {
        last = order
        continue
      }
      // The next unchanged number must be greater; otherwise all following numbers change.
      let previous = last == .min ? 0 : last
      var following: Int64?
      var run = 1
      for next in wanted[(index + 1)...] {
        if let order = orders[next], order > previous + Int64(run) {
          following = order
          break
        }
        run += 1
        if run > 64 { break }
      }
      let room = following.map { $0 - previous } ?? Int64(run + 1) * ChangeSession.orderGap
      last = previous + max(1, min(room / Int64(run + 1), ChangeSession.orderGap))
      result.append((identifier, last))
    }
    return result
  }
}
