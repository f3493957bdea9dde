internal import DepotProtocol
internal import DepotSQLite

/// The reason why a read ended early.
enum ReadEnd: Error {
  /// The connection's ``ProgressCheck`` interrupted it.
  case interrupted
  case failed(DepotError)

  /// Makes it from the error of a part of a read.
  init(_ error: any Error) {
    switch error {
    case let error as ReadEnd: self = error
    case let error as DepotError: self = .failed(error)
    case let error as SQLiteError:
      self = error.kind == .interrupted ? .interrupted : .failed(DepotError(reading: error))
    default: self = .failed(DepotError(.bug, "\(error)"))
    }
  }

  /// The error for the client.
  var error: DepotError {
    switch self {
    case .failed(let error): error
    case .interrupted: DepotError(.bug, "A read was interrupted for no reason.")
    }
  }
}

extension Connection {
  /// Runs a frequent statement without values and rows.
  func run(_ sql: String) throws(SQLiteError) {
    let statement = try statement(sql)
    defer { statement.reset() }
    _ = try statement.step()
  }

  /// Begins a snapshot unless there is one; the connection's owner must end it.
  func beginSnapshot() throws(SQLiteError) {
    if !isInTransaction { try run("BEGIN") }
  }

  /// Returns the statement of a query, with its values bound.
  func prepared(_ query: ReadStatement) throws(SQLiteError) -> Statement {
    let statement = try statement(query.sql)
    try statement.bind(query.parameters)
    return statement
  }
}
