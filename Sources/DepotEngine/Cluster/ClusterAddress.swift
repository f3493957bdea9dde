internal import DepotPostgres
package import DepotProtocol
internal import DepotSQLite

/// The address of a PostgreSQL database that holds a store.
package struct ClusterAddress: Sendable, Hashable {
  /// What libpq is given: a URI, or a list of parameters.
  package let text: String
  /// The address for people: a URI without anything secret.
  package let description: String
  /// Whether an engine is used that nobody has tried.
  package var allowsUncertified = false

  /// Whether a text names a database rather than a file.
  package static func isAddress(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// Checks an address, `postgresql://user@host:port/database?parameters` as libpq takes it.
  ///
  /// - Throws: ``DepotError`` `request.usage` if it isn't one, or has a password in it.
  package init(_ text: String) throws(DepotError) {
    let address: PostgresAddress
    do throws(PostgresError) {
      address = try PostgresAddress(parsing: text)
    } catch {
      throw DepotError(.usage, "The address of the cluster can't be used: \(error.message).")
        .hint("For example: postgresql://depot@db1,db2/app?target_session_attrs=read-write")
    }
    guard !address.containsPassword else {
      throw DepotError(.usage, "The address of a cluster can't have a password in it.")
        .hint("Others could read it. Put it into ~/.pgpass, or name a service or passfile.")
    }
    self.text = text
    description = address.description
  }
}

extension DepotError {
  /// Translates whatever went wrong in the use of a cluster, and changed nothing.
  init(_ error: any Error, _ address: ClusterAddress) {
    switch error {
    case let error as DepotError: self = error
    case let error as PostgresError: self.init(error, address)
    case let error as SQLiteError: self.init(error)
    default: self.init(.bug, "\(error)")
    }
  }

  /// Translates a failure of a cluster that nothing was changed by.
  private init(_ error: PostgresError, _ address: ClusterAddress) {
    switch error.kind {
    case .missingLibrary:
      self.init(.unfitCluster, "The library of PostgreSQL's clients is missing.")
      hint = "Install the package libpq5."
    case .invalidAddress: self.init(.usage, "The address can't be used: \(error.message).")
    case .authentication:
      self.init(.unreachable, "\(address.description) lets this user not in: \(error.message).")
      hint = "Passwords come from ~/.pgpass, or from the passfile that the address names."
    case .unreachable, .lost: self = .unreachable("\(error.message.capitalizedFirst).")
    case .invalidValue: self.init(.bug, "\(error)")
    case .refusedByServer("42501"):
      self.init(.unfitCluster, "The role may not make the tables of a store: \(error.message).")
      hint = "GRANT CREATE, CONNECT ON DATABASE … TO …; the database is the store's alone."
    case .refusedByServer: self = .unreachable("It says: \(error.message).")
    }
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
