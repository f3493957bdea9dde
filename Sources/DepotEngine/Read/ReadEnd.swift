internal import DepotProtocol
internal import DepotSQLite

/// Why a read ended before its end.
enum ReadEnd: Error {
  /// The connection's ``ProgressCheck`` wanted it.
  case interrupted
  case failed(DepotError)

  init(_ error: SQLiteError) {
    self = error.isInterrupt ? .interrupted : .failed(DepotError(reading: error))
  }
}

extension Statement {
  /// Moves to the next row; returns whether there is one.
  @inline(__always)
  func advance() throws(ReadEnd) -> Bool {
    do {
      return try step()
    } catch {
      throw ReadEnd(error)
    }
  }
}

extension Connection {
  /// Returns the statement of a query, ready to step.
  func prepared(_ query: ReadStatement) throws(ReadEnd) -> Statement {
    do {
      let statement = try statement(query.sql)
      try statement.bind(query.parameters)
      return statement
    } catch {
      throw ReadEnd(error)
    }
  }
}
