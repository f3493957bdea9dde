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
  /// Add and remove destinations; `at` is the position of the first added one.
  case edit(add: [Int64], remove: [Int64], at: Int?)
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
    switch change.edit {
    case .set(let wanted):
      if !change.isNew {
        let keep = Set(wanted)
        for member in try connection.rows(with: column, row) where !keep.contains(member.identifier)
        {
          try setReference(back, column, of: member.identifier, to: nil, because: .change)
        }
      }
      try place(wanted, in: change, column, back)
    case .edit(let add, let remove, let position):
      for identifier in remove where try connection.target(of: identifier, in: column) == row {
        try setReference(back, column, of: identifier, to: nil, because: .change)
      }
      if let position, column.orderIndex != nil {
        let members = try connection.rows(with: column, row).map(\.identifier)
        return try place(
          OrderedList.insert(add, into: members, at: position),
          in: change,
          column,
          back
        )
      }
      for identifier in add where try connection.target(of: identifier, in: column) != row {
        try setReference(back, column, of: identifier, to: row, because: .change)
      }
    }
  }

  /// Sets a row as the destination of these rows, in this order.
  private func place(
    _ wanted: [Int64],
    in change: RelationshipChange,
    _ column: ReferenceColumn,
    _ back: RelationshipLink
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
    forgetOrder(column.quoted + column.root.name, of: row)
  }

  // MARK: Join tables

  private func apply(_ change: RelationshipChange, _ table: JoinTable) throws {
    switch change.edit {
    case .set(let wanted):
      if !change.isNew {
        let keep = Set(wanted)
        for member in try table.members(of: change.row, on: change.link.side)
        where !keep.contains(member.identifier) {
          try disconnect(change.link, table, change.row, member.identifier)
        }
      }
      for identifier in wanted { try connect(change.link, table, change.row, identifier) }
      if !change.isNew || wanted.count > 1 { try order(wanted, in: change, table) }
    case .edit(let add, let remove, let position):
      for identifier in remove { try disconnect(change.link, table, change.row, identifier) }
      for identifier in add { try connect(change.link, table, change.row, identifier) }
      guard let position, table.hasOrder(change.link.side) else { return }
      let members = try table.members(of: change.row, on: change.link.side).map(\.identifier)
      try order(OrderedList.insert(add, into: members, at: position), in: change, table)
    }
  }

  private func order(_ wanted: [Int64], in change: RelationshipChange, _ table: JoinTable) throws {
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
