internal import DepotProtocol
internal import DepotSQLite

extension EntityWriter {
  /// Stores the rows of a request with few statements; returns `nil` if the rows need more work.
  func insertTogether(
    _ request: InsertRequest,
    _ run: InsertRun,
    _ session: ChangeSession
  ) throws -> InsertResult? {
    guard request.rows.count >= InsertedBatch.minimum, !request.reportsRejects,
      run.onConflict == .error, !run.plan.hasLinks, demandingLinks.isEmpty,
      layout.externalColumnIndices.isEmpty, try !hasTriggers()
    else { return nil }
    return try request.rows.json.withUnsafeBufferPointer { bytes in
      let batch = try InsertedBatch(self, run, session, RowReader(bytes))
      batch.result.identifiers.reserveCapacity(request.rows.count)
      try batch.store()
      return batch.result
    }
  }

  /// Whether changes of the table run triggers; SQLite would then copy all rows first.
  private func hasTriggers() throws(SQLiteError) -> Bool {
    let sql = "SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1"
    return try connection.integer(sql, [.text("e_\(layout.root)")]) != nil
  }
}

/// The rows of an insert, which one statement reads from the request and stores.
///
/// SQLite gives each row the identifier after the greatest one, which takes fewer steps than a
/// given identifier.
private final class InsertedBatch: RowSource {
  /// The number of rows from which on such a statement is worth it.
  static let minimum = 16

  var result = InsertResult()
  private let writer: EntityWriter
  private let run: InsertRun
  private let session: ChangeSession
  private let table: RowTable
  private var reader: RowReader
  private var row = -1

  init(
    _ writer: EntityWriter,
    _ run: InsertRun,
    _ session: ChangeSession,
    _ reader: consuming RowReader
  ) throws {
    self.writer = writer
    self.run = run
    self.session = session
    table = try writer.connection.rowTable(columns: writer.cells.count + 1)
    self.reader = reader
  }

  private var place: RowPointer { .row(base: "/args/rows", row) }

  func store() throws {
    let columns = writer.cells.indices.map { ", c\($0 + 1)" }.joined()
    let names = writer.layout.fullRow.dropFirst("id, ".count)
    // A row that breaks a rule ends the statement, and the rows before it stay.
    let statement = try writer.connection.statement(
      """
      INSERT OR FAIL INTO \(writer.layout.table) (\(names)) SELECT c0\(columns) FROM \(table.name)
      """
    )
    table.set(writer.firstVersion, at: 0)
    while try read() {
      // It has the counter's next identifier, so that the rows after it get the following ones.
      guard let first = try writer.insertRow(run, session, place, &result) else { continue }
      result.identifiers.append(first)
      if try storeRest(statement) { return }
    }
  }

  /// Stores the rows up to one that clashes; returns whether there was none.
  private func storeRest(_ statement: Statement) throws -> Bool {
    do {
      try table.run(statement, reading: self)
    } catch let error as SQLiteError where error.kind == .unique {
      result.inserted -= 1
      result.identifiers.removeLast()
      let clashes = try writer.clashes(all: true) { self.writer.cells[$0] }
      try session.violate(writer.uniqueError(clashes).at(place.pointer))
      return false
    }
    guard writer.connection.lastInsertedRow == result.identifiers.last else {
      throw DepotError(.bug, "\(writer.layout.name) has identifiers that weren't assigned.")
    }
    return true
  }

  /// Reads the next row that breaks no rule into the writer's cells; returns whether there is one.
  @inline(__always)
  private func read() throws -> Bool {
    while try reader.beginRow() {
      row += 1
      if row & 63 == 0 { try session.control.check() }
      if try writer.readRow(&reader, run.plan, session, place) { return true }
    }
    return false
  }

  func next() throws -> Bool {
    repeat {
      guard try read() else { return false }
    } while try !writer.complete(run, session, place)
    for (index, cell) in writer.cells.enumerated() { cell.set(in: table, at: index + 1) }
    result.identifiers.append(writer.counter.take())
    result.inserted += 1
    return true
  }
}

extension Cell {
  /// Sets the value in a table of rows; its bytes must stay valid until the next row.
  @inline(__always)
  fileprivate func set(in table: RowTable, at column: Int) {
    switch self {
    case .null: table.setNull(at: column)
    case .integer(let value): table.set(value, at: column)
    case .real(let value): table.set(value, at: column)
    case .text(let bytes): table.set(borrowingText: bytes, at: column)
    case .blob(let bytes): table.set(borrowingBlob: bytes, at: column)
    }
  }
}
