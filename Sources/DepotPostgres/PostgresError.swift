/// A failure of a server, or of the connection to it.
///
/// It names the statement, but never a value or a password.
package struct PostgresError: Error, Hashable {
  package enum Kind: Hashable, Sendable {
    /// No server that accepts connections could be reached: nothing was done.
    case unreachable
    /// The server refuses this user.
    case authentication
    /// The server refused a statement, or the connection, with an SQLSTATE.
    case refusedByServer(sqlState: String)
    /// The connection was lost before the answer, so that the outcome is unknown.
    case lost
    /// libpq isn't installed, or is too old.
    case missingLibrary
    /// The address is neither a connection string nor a URI.
    case invalidAddress
    /// A value is too large or has the character U+0000; nothing was sent.
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

  /// Makes the error of a failed result.
  ///
  /// An error that ends the session counts as a lost connection.
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
