internal import DepotProtocol
internal import DepotSQLite

extension ChangeSession {
  /// Sets a row's to-one relationship to a destination or none, and updates its inverse.
  ///
  /// If the destination can have only one such row, its previous row loses the reference.
  func setReference(
    _ link: RelationshipLink,
    _ column: ReferenceColumn,
    of row: Int64,
    to target: Int64?,
    because cause: Cause
  ) throws {
    if let target { try makeRoom(link, column, for: row, at: target) }
    let root = try entities.writer(column.root.name)
    let previous = try self.target(of: row, in: column)
    var changes: [(place: Int, cell: Cell)] = [
      (column.index, target.map(Cell.integer) ?? .null)
    ]
    if let place = column.orderIndex {
      changes.append((place, try order(column, of: target).map(Cell.integer) ?? .null))
    }
    let step = versionStep(root, row)
    let clashes = try writing(
      root,
      row,
      { place in changes.first { $0.place == place }?.cell },
      { _ = try root.change(row, changes, step: step) }
    )
    if let clashes {
      throw DepotError(
        .unique,
        "\(link.owner.name)/\(row) would have the same values as another row."
      ).hint("Change one of the rows' values in the same save.")
        .details(entity: link.owner.name, attribute: link.layout.name).detail("id", row)
        .detail("existing", "\(root.layout.name)/\(clashes.first?.identifier ?? 0)")
    }
    if target == nil { look(at: link, of: row, because: cause) }
    guard let inverse = try entities.inverse(of: link), !link.isSymmetric else { return }
    if let previous, previous != target { look(at: inverse, of: previous, because: .change) }
    if let target { look(at: inverse, of: target, because: .change) }
  }

  /// Removes the row that uses `target` from the one-to-one relationship, unless it is `row`.
  func makeRoom(
    _ link: RelationshipLink,
    _ column: ReferenceColumn,
    for row: Int64?,
    at target: Int64
  ) throws {
    guard column.isUnique else { return }
    for other in try connection.rows(with: column, target) where other.identifier != row {
      try setReference(link, column, of: other.identifier, to: nil, because: .change)
    }
  }

  /// Returns the order of a row that is added to `target`, if the relationship is ordered.
  func order(_ column: ReferenceColumn, of target: Int64?) throws -> Int64? {
    guard let target, column.orderIndex != nil else { return nil }
    return try nextOrder(column.quoted + column.root.name, of: target) {
      try connection.lastOrder(in: column, of: target)
    }
  }

  /// Updates a self-inverse relationship after `row` got `target`.
  func makeSymmetric(
    _ link: RelationshipLink,
    _ column: ReferenceColumn,
    of row: Int64,
    from previous: Int64?,
    to target: Int64?
  ) throws {
    if let previous, previous != target, previous != row,
      try self.target(of: previous, in: column) == row
    {
      try setReference(link, column, of: previous, to: nil, because: .change)
    }
    guard let target, target != row else { return }
    let partner = try self.target(of: target, in: column)
    if partner == row { return }
    if let partner, partner != target {
      try setReference(link, column, of: partner, to: nil, because: .change)
    }
    try setReference(link, column, of: target, to: row, because: .change)
  }
}
