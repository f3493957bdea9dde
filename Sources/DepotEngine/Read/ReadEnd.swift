internal import DepotProtocol
internal import DepotSQLite

/// Why a read ended before its end.
enum ReadEnd: Error {
  /// The connection's ``ProgressCheck`` wanted it.
  case interrupted
  case failed(DepotError)

  /// Takes over the error of a part of a read.
  init(_ error: any Error) {
    switch error {
    case let error as ReadEnd: self = error
    case let error as DepotError: self = .failed(error)
    case let error as SQLiteError:
      self = error.kind == .interrupted ? .interrupted : .failed(DepotError(reading: error))
    default: self = .failed(DepotError(.bug, "\(error)"))
    }
  }
}

extension Connection {
  /// Runs a statement that is needed often and has neither values nor rows.
  func run(_ sql: String) throws(SQLiteError) {
    let statement = try statement(sql)
    defer { statement.reset() }
    _ = try statement.step()
  }

  /// Begins a snapshot unless there is one; the owner of the connection must end it.
  func beginSnapshot() throws(SQLiteError) {
    if !isInTransaction { try run("BEGIN") }
  }

  /// Returns the statement of a query, ready to step.
  func prepared(_ query: ReadStatement) throws(SQLiteError) -> Statement {
    let statement = try statement(query.sql)
    try statement.bind(query.parameters)
    return statement
  }
}
