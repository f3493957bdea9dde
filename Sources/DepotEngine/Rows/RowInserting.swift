internal import DepotProtocol
internal import DepotSQLite

/// What an insert did.
struct InsertResult {
  var inserted = 0
  var updated = 0
  var skipped = 0
  /// One per row; `nil` for a row that was left out.
  var identifiers: [Int64?] = []
  var rejected: [(row: Int, error: DepotError)] = []
}

extension EntityWriter {
  /// Stores the rows of a request.
  ///
  /// - Throws: ``DepotError`` that names the row at fault, or ``SQLiteError``.
  func insert(_ request: InsertRequest, control: CallControl) throws -> InsertResult {
    let positions = try positions(of: request.columns, at: "/args/columns")
    useDefaults()
    let run = InsertRun(
      positions: positions,
      missing: layout.stored.indices.first { position in
        let isOptional = layout.field(at: position)?.attribute.isOptional ?? true
        return !isOptional && cells[position].isNull && !positions.contains(position)
      },
      onConflict: request.onConflict,
      update: request.onConflict == .replace ? try updateStatement(positions) : nil
    )
    var result = InsertResult()
    result.identifiers.reserveCapacity(request.rows.count)
    try request.rows.json.withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes)
      var row = 0
      while try reader.beginRow() {
        if row & 63 == 0 { try control.check() }
        do {
          if let (error, column) = try readRow(&reader, positions) {
            throw error.at("/args/rows/\(row)\(column.map { "/\($0)" } ?? "")")
          }
          result.identifiers.append(try store(run, &result))
        } catch let error as DepotError
          where request.reportsRejects && error.code.class != "protocol"
          && error.code.class != "storage"
        {
          result.identifiers.append(nil)
          result.rejected.append((row, error.at("/args/rows/\(row)")))
        } catch let error as DepotError {
          throw error.at("/args/rows/\(row)")
        }
        row += 1
      }
    }
    return result
  }

  /// Stores the row in the cells; returns its identifier, or that of the row that it clashes with.
  @inline(__always)
  private func store(_ run: InsertRun, _ result: inout InsertResult) throws -> Int64 {
    if run.onConflict != .error, let identifier = try resolve(run, &result) { return identifier }
    if let missing = run.missing.flatMap(layout.field) { throw required(missing.attribute) }
    do {
      let identifier = try insertRow()
      result.inserted += 1
      return identifier
    } catch {
      if error.kind == .unique { throw uniqueError(uniquePositions) }
      throw error
    }
  }

  private func resolve(_ run: InsertRun, _ result: inout InsertResult) throws -> Int64? {
    let clashes = try clashes(uniquePositions)
    guard let first = clashes.first else { return nil }
    guard let update = run.update else {
      result.skipped += 1
      return first.identifier
    }
    if let other = clashes.first(where: { $0.identifier != first.identifier }) {
      throw uniqueError(other).hint("The row clashes with \(layout.name)/\(first.identifier) too.")
    }
    _ = try updateRow(first.identifier, run.positions, with: update)
    result.updated += 1
    return first.identifier
  }
}

/// What is the same for all rows of one insert.
private struct InsertRun {
  var positions: [Int]
  /// The position of an attribute that must have a value and gets none.
  var missing: Int?
  var onConflict: InsertRequest.OnConflict
  /// What replaces a row.
  var update: Statement?
}
