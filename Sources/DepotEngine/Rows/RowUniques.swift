internal import DepotProtocol
internal import DepotSQLite

/// A row that has the unique values that another row is to get.
struct UniqueClash {
  var identifier: Int64
  var unique: UniqueLayout
}

extension EntityWriter {
  /// Returns the rows that have unique values of the cells.
  ///
  /// - Parameter all: Whether to regard also what only descendants of the entity demand.
  /// - Returns: At most one row for each demand.
  /// - Throws: ``SQLiteError`` if a row can't be read.
  func clashes(all: Bool = false) throws(SQLiteError) -> [UniqueClash] {
    var result: [UniqueClash] = []
    for unique in layout.uniques where all || layout.isDemanded(unique) {
      if unique.places.contains(where: { cells[$0].isNull }) { continue }
      let conditions = unique.places.map { "\(layout.stored[$0].quoted) = ?" }
      let statement = try connection.statement(
        "SELECT id FROM \(layout.table) WHERE \(conditions.joined(separator: " AND "))"
          + unique.kindCondition
      )
      defer { statement.reset() }
      for (index, place) in unique.places.enumerated() {
        try cells[place].bind(to: statement, at: index + 1)
      }
      guard try statement.step() else { continue }
      result.append(UniqueClash(identifier: statement.row.integer(0), unique: unique))
    }
    return result
  }

  /// Returns the error that a row with the unique values in the cells exists.
  func uniqueError(except identifier: Int64? = nil) -> DepotError {
    let clashes = (try? clashes(all: true)) ?? []
    guard let clash = clashes.first(where: { $0.identifier != identifier }) else {
      return DepotError(.unique, "Another \(layout.name) has one of the unique values.")
        .details(["entity": .string(layout.name)])
    }
    return uniqueError(clash)
  }

  func uniqueError(_ clash: UniqueClash) -> DepotError {
    let existing = "\(layout.name)/\(clash.identifier)"
    let paths = clash.unique.paths
    let names = paths.map { "\"\($0)\"" }.joined(separator: ", ")
    var details: [String: JSONValue] = [
      "entity": .string(layout.name), "attribute": .string(paths[0]),
      "existing": .string(existing),
    ]
    if paths.count > 1 { details["attributes"] = .array(paths.map(JSONValue.string)) }
    let values = paths.count > 1 ? "values" : "value"
    return DepotError(.unique, "\(existing) has the same \(values) for \(names).")
      .hint("Change the value, or use onConflict \"skip\" or \"replace\".").details(details)
  }

  /// Returns the row that takes the place of the one in the cells.
  ///
  /// - Throws: ``DepotError`` `conflict.unique` if there are two, or it is of another entity.
  func existing() throws -> Int64? {
    let clashes = try clashes()
    guard let first = clashes.first else { return nil }
    if let other = clashes.first(where: { $0.identifier != first.identifier }) {
      throw uniqueError(other).hint("The row clashes with \(layout.name)/\(first.identifier) too.")
    }
    existence.restart()
    defer { existence.restart() }
    try existence.bind(first.identifier, at: 1)
    guard try existence.step() else {
      throw uniqueError(first).hint("That row is of another entity.")
    }
    return first.identifier
  }
}
