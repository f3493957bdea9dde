/// Reads many rows with little memory.
extension PostgresConnection {
  /// Calls a function with each row of a statement, as a result with one row.
  ///
  /// The connection can't be used for anything else until it ends. If the function throws, the
  /// statement is cancelled, and an open transaction fails.
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

  /// Starts to read the rows of a statement one by one.
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

  /// Waits for the next row; `nil` after the last.
  package func nextRow() throws(PostgresError) -> PostgresResult? {
    while isReadingRows {
      guard let result = try nextResult() else {
        isReadingRows = false
        break
      }
      switch result.status {
      case .singleTuple: return result
      // The result that ends the rows has none itself.
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

  /// Discards the rows that weren't read.
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
      // The connection is closed, so the next call throws an error.
      close()
    }
  }
}
