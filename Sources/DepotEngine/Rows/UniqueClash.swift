internal import DepotProtocol
internal import DepotSQLite

/// A row that has one of the unique values that another row is to get.
struct UniqueClash {
  var identifier: Int64
  var attribute: String
}

extension EntityWriter {
  /// Returns the rows that have a unique value of the cells at `positions`.
  func clashes(_ positions: [Int]) throws(SQLiteError) -> [UniqueClash] {
    var result: [UniqueClash] = []
    for position in positions where !cells[position].isNull {
      let statement = try connection.statement(
        "SELECT id FROM \(layout.table) WHERE \(layout.stored[position].quoted) = ?1"
      )
      defer { statement.reset() }
      try cells[position].bind(to: statement, at: 1)
      guard try statement.step() else { continue }
      let identifier = statement.row.integer(0)
      let attribute = layout.field(at: position)?.path ?? ""
      result.append(UniqueClash(identifier: identifier, attribute: attribute))
    }
    return result
  }

  /// Returns the error that a row with one of these unique values exists.
  func uniqueError(_ positions: [Int], except identifier: Int64? = nil) -> DepotError {
    let clashes = (try? clashes(positions)) ?? []
    guard let clash = clashes.first(where: { $0.identifier != identifier }) else {
      return DepotError(.unique, "Another \(layout.name) has one of the unique values.")
        .details(["entity": .string(layout.name)])
    }
    return uniqueError(clash)
  }

  func uniqueError(_ clash: UniqueClash) -> DepotError {
    let existing = "\(layout.name)/\(clash.identifier)"
    return DepotError(.unique, "\(existing) has the same value for \"\(clash.attribute)\".")
      .hint("Change the value, or use onConflict \"skip\" or \"replace\".")
      .details([
        "entity": .string(layout.name), "attribute": .string(clash.attribute),
        "existing": .string(existing),
      ])
  }
}
