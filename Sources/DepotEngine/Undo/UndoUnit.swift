internal import DepotProtocol
internal import DepotSQLite

/// The transactions that are undone together: a single one, or those of a group with the same kind.
struct UndoUnit {
  /// A transaction of the unit, by which the others are found.
  let token: Int64
  /// The group; `nil` if the transaction has none.
  let group: String?
  /// Whether its transactions undid others.
  let isUndo: Bool
}

extension UndoSelection {
  /// Returns the transactions that a target selects, with all of their group.
  mutating func unit(_ target: UndoRequest.Target, author: String?) throws -> UndoUnit {
    switch target {
    case .last: return try unit(of: last(of: author))
    case .author(let name): return try unit(of: last(of: name))
    case .group(let group): return try unit(ofGroup: group)
    case .token(let token):
      let origin = try origin(of: token)
      guard let group = origin.group else { return try unit(of: self.token(token)) }
      if isRedo, !origin.isUndo { return try unit(ofGroup: group) }
      return UndoUnit(token: token.sequence, group: group, isUndo: origin.isUndo)
    }
  }

  /// Returns the transactions that are undone together with one.
  func unit(of token: Int64) throws -> UndoUnit {
    guard let origin = try origin(of: token) else {
      throw DepotError(
        .historyExpired,
        "The transaction \(bounds.token(token)) isn't kept any more."
      )
      .details(of: bounds)
    }
    return UndoUnit(token: token, group: origin.group, isUndo: origin.isUndo)
  }

  private mutating func unit(ofGroup group: String) throws -> UndoUnit {
    let ordinary = UndoUnit(token: .max, group: group, isUndo: false)
    guard let last = try member(of: ordinary, before: .max) else {
      throw DepotError(.nothingToUndo, "The history has no group \(group.quoted).")
        .at("/args/group")
    }
    guard isRedo else { return UndoUnit(token: last, group: group, isUndo: false) }
    // Undos are in reverse order, so the last undo has undone the first transaction.
    var position: Int64 = 0
    while let token = try member(of: ordinary, after: position) {
      try control.check()
      if let undo = try activeReversal(of: token) { return try unit(of: undo) }
      position = token
    }
    throw DepotError(.nothingToUndo, "Nothing of the group was undone.").at("/args/group")
  }

  /// Returns the last transaction of a unit before another one.
  func member(of unit: UndoUnit, before position: Int64) throws(SQLiteError) -> Int64? {
    guard let group = unit.group else { return unit.token < position ? unit.token : nil }
    return try member(group, unit.isUndo, "max", bounds.floor, position)
  }

  private func member(
    of unit: UndoUnit,
    after position: Int64
  ) throws(SQLiteError) -> Int64? {
    try member(unit.group ?? "", unit.isUndo, "min", max(position, bounds.floor), .max)
  }

  private func member(
    _ group: String,
    _ isUndo: Bool,
    _ extreme: String,
    _ after: Int64,
    _ before: Int64
  ) throws(SQLiteError) -> Int64? {
    try connection.integer(
      """
      SELECT \(extreme)(id) FROM depot_history WHERE grouping = ?1 AND id = token AND id > ?2 \
      AND id < ?3 AND origin IS NOT '\(TransactionOrigin.schemaKind)' AND (origin IS NOT NULL AND origin >= 'undo:' AND origin < 'undo;') = ?4
      """,
      [.text(group), .integer(after), .integer(before), .integer(isUndo ? 1 : 0)]
    )
  }

  /// Returns the group of earlier undos of a unit, if the service named that group.
  mutating func groupOfUndo(of token: Int64) throws -> String? {
    guard let undo = try activeReversal(of: token), let group = try origin(of: undo)?.group,
      group.hasPrefix(isRedo ? "redo-" : "undo-")
    else { return nil }
    return group
  }
}
