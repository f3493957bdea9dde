/// Many rows with little memory.
extension PostgresConnection {
  /// Calls a function with each row of a statement, which comes as a result with one row.
  ///
  /// The connection can't be used for anything else meanwhile. If the function throws, the statement is
  /// cancelled, which makes a transaction that is open a failed one.
  ///
  /// - Throws: ``PostgresError``, or an error of the function.
  package func forEach(
    _ sql: String,
    _ parameters: [PostgresValue] = [],
    _ body: (PostgresResult) throws -> Void
  ) throws {
    try startRows(sql, parameters)
    do {
      while let row = try nextRow() { try body(row) }
    } catch {
      endRows()
      throw error
    }
  }

  /// Begins to read the rows of a statement one by one.
  ///
  /// The corresponding C function is `PQsetSingleRowMode`.
  package func startRows(
    _ sql: String,
    _ parameters: [PostgresValue] = []
  ) throws(PostgresError) {
    precondition(outstanding == nil && !isReadingRows, "The results before have to be read first.")
    try PostgresStatement(sql, parameters).check()
    let handle = try handle
    self.parameters.fill(with: parameters)
    let types = self.parameters.types
    let isSent = self.parameters.withPointers { values, sizes, formats, count in
      library.sendQueryParams(handle, sql, count, types, values, sizes, formats, 1)
    }
    guard isSent == 1, library.setSingleRowMode(handle) == 1 else { throw lose() }
    isReadingRows = true
    try flush()
    roundTrips += 1
  }

  /// Waits for the next row; `nil` at the end.
  package func nextRow() throws(PostgresError) -> PostgresResult? {
    while isReadingRows {
      guard let result = try nextResult() else {
        isReadingRows = false
        break
      }
      switch result.status {
      case .singleTuple: return result
      // The end of the rows has none.
      case .commandOK, .tuplesOK, .emptyQuery: break
      default:
        isReadingRows = false
        let error = failure(result, sql: nil)
        if error.kind != .lost { _ = try lastResult() }
        throw error
      }
    }
    return nil
  }

  /// Gives up the rows that weren't read.
  ///
  /// The corresponding C function is `PQcancel`.
  package func endRows() {
    guard isReadingRows, let handle = try? handle else {
      isReadingRows = false
      return
    }
    isReadingRows = false
    let request = library.getCancel(handle)
    var reason = [CChar](repeating: 0, count: 256)
    _ = library.cancel(request, &reason, Int32(reason.count))
    library.freeCancel(request)
    do {
      _ = try lastResult()
    } catch {
      // The connection is closed, as the next call tells.
      close()
    }
  }
}
