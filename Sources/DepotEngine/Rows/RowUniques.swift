internal import DepotProtocol
internal import DepotSQLite

/// A row that has the unique values of another row to be written.
struct UniqueClash {
  var identifier: Int64
  var unique: UniqueLayout
}

extension EntityWriter {
  /// Returns the rows with the cells' unique values, at most one for each constraint.
  func clashes() throws(SQLiteError) -> [UniqueClash] {
    try clashes { cells[$0] }
  }

  /// Returns the rows with unique values of a row to be written, at most one for each constraint.
  ///
  /// `value` returns the new value of a column, or `nil` if the old one stays; `all` includes
  /// constraints of descendants.
  func clashes(
    of identifier: Int64? = nil,
    all: Bool = false,
    _ value: (Int) -> Cell?
  ) throws(SQLiteError) -> [UniqueClash] {
    var result: [UniqueClash] = []
    for unique in layout.uniques where all || layout.isDemanded(unique) {
      let values = unique.columnIndices.map(value)
      if values.contains(where: { $0?.isNull == true }) { continue }
      let conditions = zip(unique.columnIndices, values).map { place, value in
        let column = layout.stored[place].quoted
        guard value == nil else { return "\(column) = ?" }
        return "\(column) = (SELECT \(column) FROM \(layout.table) WHERE id = ?)"
      }
      let statement = try connection.statement(
        "SELECT id FROM \(layout.table) WHERE \(conditions.joined(separator: " AND "))"
          + "\(unique.kindCondition) AND id IS NOT ?"
      )
      defer { statement.reset() }
      let own = identifier.map(Cell.integer) ?? .null
      for (index, value) in (values + [own]).enumerated() {
        try (value ?? own).bind(to: statement, at: index + 1)
      }
      guard try statement.step() else { continue }
      result.append(UniqueClash(identifier: statement.row.integer(0), unique: unique))
    }
    return result
  }

  /// Returns the error for a row with unique values of another one.
  func uniqueError(_ clashes: [UniqueClash]) -> DepotError {
    guard let clash = clashes.first else {
      return DepotError(.unique, "Another \(layout.name) has one of the unique values.")
        .hint("Change the value.").details(["entity": .string(layout.name)])
    }
    return uniqueError(clash)
  }

  func uniqueError(_ clash: UniqueClash) -> DepotError {
    let existing = name(of: clash)
    let paths = clash.unique.paths
    let names = paths.map { "\"\($0)\"" }.joined(separator: ", ")
    let values = paths.count > 1 ? "values" : "value"
    return DepotError(.unique, "\(existing) has the same \(values) for \(names).")
      .hint("Change the value, or use onConflict \"skip\" or \"replace\".")
      .details(entity: layout.name, attribute: paths[0])
      .detail("existing", existing).detail("attributes", paths.count > 1 ? paths : nil)
  }

  /// Returns the name of the row, which may be of another entity of the hierarchy.
  private func name(of clash: UniqueClash) -> String {
    let identifier = clash.identifier
    var entity = layout.name
    if (try? isThere(identifier)) == false,
      let root = try? entities.catalog.layout(of: layout.root),
      let kind = try? connection.integer(
        "SELECT kind FROM \(layout.table) WHERE id = ?1",
        [.integer(identifier)]
      )
    {
      entity = root.numbers[Int(kind)] ?? entity
    }
    return "\(entity)/\(identifier)"
  }

  /// Returns the row that the one in the cells replaces; `nil` if there is none.
  func existing(_ session: ChangeSession) throws -> Int64? {
    try existing(clashes(session))?.identifier
  }

  /// Returns the rows with the cells' unique values that keep them.
  func clashes(_ session: ChangeSession) throws(SQLiteError) -> [UniqueClash] {
    let clashes = try clashes()
    guard let moving = session.moving else { return clashes }
    return clashes.filter { !moving.contains($0, layout) }
  }

  /// Returns the only row that conflicts with the cells, if it is of this entity.
  func existing(_ clashes: [UniqueClash]) throws -> UniqueClash? {
    guard let first = clashes.first else { return nil }
    if let other = clashes.first(where: { $0.identifier != first.identifier }) {
      throw uniqueError(other).hint("The row clashes with \(name(of: first)) too.")
    }
    guard try isThere(first.identifier) else {
      throw uniqueError(first).hint("That row is of another entity.")
    }
    return first
  }
}

/// Returns the result of a search for a row; `nil` if a rule is broken.
///
/// The broken rule is reported when the row is stored. A failure of the store is thrown, because
/// SQLite may have rolled back the transaction.
func unlessRefused<Found>(_ find: () throws -> Found?) throws -> Found? {
  do {
    return try find()
  } catch is DepotError {
    return nil
  }
}
