internal import DepotPostgres
package import DepotProtocol
internal import DepotSQLite

/// The address of a PostgreSQL database that holds a store.
package struct ClusterAddress: Sendable, Hashable {
  /// The connection string for libpq: a URI, or a list of parameters.
  package let text: String
  /// The database as a URI with no other parameters, the same for all spellings of the address.
  package let description: String
  /// Whether to use a database engine that Depot wasn't tested with.
  package var allowsUncertified = false
  /// The longest time in seconds that a suspended service can keep others from writing.
  package var turnSeconds = 20
  /// The size of commits in bytes after which the pages in the cluster are updated.
  var baseStep = 16 << 20

  /// Checks an address, such as `postgresql://user@host:port/database?parameters` for libpq.
  ///
  /// - Throws: ``DepotError`` `request.usage` if it isn't valid, or contains a password.
  package init(_ text: String) throws(DepotError) {
    let address: PostgresAddress
    do throws(PostgresError) {
      address = try PostgresAddress(parsing: text)
    } catch {
      guard error.kind == .invalidAddress else { throw .missingLibrary }
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
  /// Translates any error of using a cluster that changed nothing.
  init(_ error: any Error, _ address: ClusterAddress) {
    switch error {
    case let error as DepotError: self = error
    case let error as PostgresError: self.init(error, address)
    case let error as SQLiteError: self.init(error)
    default: self.init(.bug, "\(error)")
    }
  }

  /// Translates a failure of a cluster that changed nothing.
  private init(_ error: PostgresError, _ address: ClusterAddress) {
    switch error.kind {
    case .missingLibrary:
      self = .missingLibrary
    case .invalidAddress: self.init(.usage, "The address can't be used: \(error.message).")
    case .authentication:
      self.init(.unreachable, "\(address.description) refuses this user: \(error.message).")
      hint =
        "Is there such a role, and does pg_hba.conf let it in? Passwords come from ~/.pgpass, or from "
        + "the passfile that the address names."
    case .unreachable, .lost: self = .unreachable("\(address.description): \(error.message).")
    case .invalidValue: self.init(.bug, "\(error)")
    case .refusedByServer("42501"):
      self.init(.unfitCluster, "The role may not make the tables of a store: \(error.message).")
      hint = "As the owner of the database: GRANT CREATE, CONNECT ON DATABASE NAME TO ROLE;"
    case .refusedByServer("3D000"):
      self.init(.unfitCluster, "There is no such database: \(error.message).")
      hint = "Make it with createdb --encoding=UTF8 --template=template0 NAME, or name another one."
    case .refusedByServer(ClusterSession.lockTimedOut):
      self = .unreachable(
        "At \(address.description) another service has written for longer than this one may wait."
      )
    case .refusedByServer: self = .unreachable("\(address.description) says: \(error.message).")
    }
  }
}

extension DepotError {
  fileprivate static var missingLibrary: DepotError {
    DepotError(.unfitCluster, "The library of PostgreSQL's clients is missing.")
      .hint("Install the package libpq5.")
  }

  /// The error for a program that can't start without the cluster.
  var atStart: DepotError {
    guard code == .unreachable, hint == Self.unreachable("").hint else { return self }
    return hint("Is PostgreSQL running there? Check the hosts, the port, and the network.")
  }
}
