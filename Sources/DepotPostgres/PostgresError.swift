/// A failure of a cluster, or of the way to it.
///
/// It names the statement, never the values, and no password.
package struct PostgresError: Error, Hashable {
  package enum Kind: Hashable, Sendable {
    /// No server could be reached, or none that takes connections now: nothing was done.
    case unreachable
    /// The server doesn't let this user in.
    case authentication
    /// The server refused a statement, or the connection, with an SQLSTATE.
    case refusedByServer(sqlState: String)
    /// The connection broke while its answer was awaited, so that the outcome is unknown.
    case lost
    /// libpq isn't installed, or is too old.
    case missingLibrary
    /// The address is no connection string and no URI.
    case invalidAddress
    /// A value can't be stored: a text with U+0000, or one that is too large; nothing was sent.
    case invalidValue
  }

  package var kind: Kind
  /// The code of the server's error, five characters (postgresql.org/docs/current/errcodes-appendix.html).
  package var sqlState: String?
  /// The server's primary message, or libpq's.
  package var message: String
  /// The statement that failed.
  package var sql: String?

  package init(_ kind: Kind, _ message: String, sqlState: String? = nil) {
    self.kind = kind
    self.message = message
    self.sqlState = sqlState
  }

  /// Reads the error that a result is.
  ///
  /// One that ends the session counts as a lost connection.
  init(_ result: PostgresResult, sql: String?) {
    sqlState = result.errorField("C")
    message = result.errorField("M") ?? "the connection broke"
    self.sql = sql
    let isOver = result.errorField("V").map { $0 == "FATAL" || $0 == "PANIC" } ?? true
    kind = isOver ? .lost : .refusedByServer(sqlState: sqlState ?? "")
  }
}

extension PostgresError: CustomStringConvertible {
  package var description: String {
    let state = sqlState.map { " (\($0))" } ?? ""
    return "PostgreSQL: \(message)\(state)\(sql.map { " in \($0)" } ?? "")"
  }
}
