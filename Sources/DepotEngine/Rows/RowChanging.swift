internal import DepotProtocol
internal import DepotSQLite

extension EntityWriter {
  /// Gives rows new values; returns how many.
  ///
  /// - Throws: ``DepotError`` if a row is missing or damaged or a value can't be; ``SQLiteError``.
  func update(_ request: UpdateRequest, control: CallControl) throws -> Int {
    let positions = try positions(of: request.columns, at: "/args/set")
    let identifiers = try identifiers(request.rows, control: control)
    let uniques = positions.filter { layout.field(at: $0)?.attribute.isUnique ?? false }
    let statement = try updateStatement(positions)
    var missing: [Int64] = []
    try request.values.json.withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes)
      guard try reader.beginRow() else {
        throw DepotError(.usage, "There are no values to set.").at("/args/set")
      }
      if let (error, column) = try readRow(&reader, positions) {
        throw error.at("/args/set\(column.map { "/\(request.columns[$0])" } ?? "")")
      }
      for (index, identifier) in identifiers.enumerated() {
        if index & 63 == 0 { try control.check() }
        do {
          if try !updateRow(identifier, positions, with: statement) { missing.append(identifier) }
        } catch let error as SQLiteError where error.kind == .unique {
          throw uniqueError(uniques, except: identifier).at("/args/set")
        }
      }
    }
    guard missing.isEmpty else { throw layout.missing(missing) }
    return identifiers.count
  }

  /// Deletes rows; returns how many.
  ///
  /// A damaged row can be deleted like any other: there is no other way to get rid of it.
  ///
  /// - Throws: ``DepotError`` if a row is missing; ``SQLiteError``.
  func delete(_ request: DeleteRequest, control: CallControl) throws -> Int {
    let identifiers = try identifiers(request.rows, control: control)
    let statement = try connection.statement("DELETE FROM \(layout.table) WHERE id = ?1")
    var missing: [Int64] = []
    for (index, identifier) in identifiers.enumerated() {
      if index & 63 == 0 { try control.check() }
      try statement.bind(identifier, at: 1)
      try statement.runBound()
      if connection.changeCount == 0 { missing.append(identifier) }
    }
    guard missing.isEmpty else { throw layout.missing(missing) }
    return identifiers.count
  }

  /// Returns the identifiers of the rows that are meant, each once.
  private func identifiers(_ rows: RowSelection, control: CallControl) throws -> [Int64] {
    switch rows {
    case .identifiers(let identifiers):
      guard identifiers.count > 1 else { return identifiers }
      var seen: Set<Int64> = []
      return identifiers.filter { seen.insert($0).inserted }
    case .predicate(let expression):
      let predicate = try PredicateSQL.compile(expression, for: layout, in: catalog)
      let statement = try connection.statement(
        "SELECT t0.id FROM \(predicate.source) WHERE \(predicate.sql)"
      )
      var result: [Int64] = []
      connection.watch(every: 4000, ProgressCheck { (try? control.check()) == nil })
      defer { connection.unwatch() }
      do {
        try statement.run(predicate.parameters) { result.append($0.integer(0)) }
      } catch let error as SQLiteError where error.kind == .interrupted {
        try control.check()
        throw error
      }
      return result
    }
  }
}

extension EntityLayout {
  /// Returns the error that rows don't exist.
  func missing(_ identifiers: [Int64]) -> DepotError {
    let first = identifiers.prefix(3).map { "\(name)/\($0)" }.joined(separator: ", ")
    let message =
      identifiers.count > 3
      ? "There are no \(first), and \(identifiers.count - 3) more." : "There is no \(first)."
    return DepotError(.objectNotFound, message).at("/args/ids")
      .details([
        "entity": .string(name), "missing": .array(identifiers.prefix(1000).map(JSONValue.int64)),
      ])
  }
}
