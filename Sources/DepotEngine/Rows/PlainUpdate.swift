internal import DepotProtocol
internal import DepotSQLite

/// The update of many rows with equal values by one statement, if no other row depends on them.
struct PlainUpdate {
  private static let rowsTogether = 64

  private let writer: EntityWriter
  private let session: ChangeSession
  private let positions: [Int]
  private let recorded: [Int]?

  /// Uses the values in the writer's cells; `nil` if each row must be read.
  init?(_ run: UpdateRun, _ writer: EntityWriter, _ session: ChangeSession) throws {
    let layout = writer.layout
    guard run.statement != nil, run.computed == nil, run.composites.isEmpty, !run.plan.hasLinks,
      layout.externalColumnIndices.isEmpty,
      !layout.uniques.contains(where: { $0.columnIndices.contains(where: run.positions.contains) }),
      try session.entities.derivedAttributes().isEmpty
    else { return nil }
    // SQLite treats -0 and 0 as equal.
    for position in run.positions {
      if case .real(0) = writer.cells[position] { return nil }
    }
    self.writer = writer
    self.session = session
    positions = run.positions
    recorded = run.recorded
  }

  /// Updates the rows whose values differ; each row must exist.
  func update(_ identifiers: [Int64]) throws {
    let wholes = identifiers.count / Self.rowsTogether * Self.rowsTogether
    try update(identifiers[..<wholes], together: Self.rowsTogether)
    try update(identifiers[wholes...], together: 1)
  }

  private func update(_ identifiers: ArraySlice<Int64>, together count: Int) throws {
    guard !identifiers.isEmpty else { return }
    let statement = try statement(count)
    for (index, position) in positions.enumerated() {
      try writer.cells[position].bind(to: statement, at: index + 1)
    }
    for start in stride(from: identifiers.startIndex, to: identifiers.endIndex, by: count) {
      try session.control.check()
      let rows = identifiers[start..<start + count]
      for (index, row) in rows.enumerated() {
        try statement.bind(row, at: positions.count + 1 + index)
      }
      do {
        try session.entities.run(statement, changing: recorded)
      } catch {
        try refuseLastVersions(rows)
        throw error
      }
    }
  }

  /// Returns the statement for `count` rows, with the values and then the identifiers to bind.
  private func statement(_ count: Int) throws(SQLiteError) -> Statement {
    let columns = positions.map { writer.layout.stored[$0].quoted }
    let assignments = columns.enumerated().map { ", \($1) = ?\($0 + 1)" }.joined()
    let differences = columns.enumerated().map { "\($1) IS NOT ?\($0 + 1)" }
    let marks = (0..<count).map { "?\(columns.count + 1 + $0)" }.joined(separator: ", ")
    return try writer.connection.statement(
      """
      UPDATE \(writer.layout.table) SET version = version + 1\(assignments) \
      WHERE id IN (\(marks)) AND (\(differences.joined(separator: " OR ")))
      """
    )
  }

  /// - Throws: ``DepotError`` `request.number_range` if a row has the greatest possible version.
  private func refuseLastVersions(_ rows: ArraySlice<Int64>) throws {
    let table = writer.layout.table
    for row in rows {
      let version = try writer.connection.integer(
        "SELECT version FROM \(table) WHERE id = ?1",
        [.integer(row)]
      )
      _ = try writer.layout.version(after: version ?? 0, by: 1, of: row)
    }
  }
}
