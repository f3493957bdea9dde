internal import DepotPostgres
package import DepotProtocol

/// Checks a whole store in a cluster, as of its last commit, while services use it.
@Memberwise
package struct ClusterCheck {
  /// The result of a check.
  package struct Findings {
    /// A message for each problem.
    package var problems: [String]
    package var state: ClusterState
    /// The number of services that have the store open.
    package var services: Int
  }

  private let address: ClusterAddress
  /// The file of the local copy, which is removed at the end.
  private let path: String

  /// Checks every page and every row.
  ///
  /// - Returns: The result; `nil` if there is no store.
  /// - Throws: ``DepotError`` of class `unavailable` and `storage` if the cluster can't be used.
  package func run() throws(DepotError) -> Findings? {
    let services: Int
    do {
      let connection = try ClusterSession(address).connection
      guard try ClusterCopy(address: address, path: path).hasTables(connection) else { return nil }
      services = Int(
        try connection.run(
          """
          SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
          AND application_name = '\(ClusterSession.name)' AND pid <> pg_backend_pid()
          """
        ).integer(0)
      )
    } catch {
      throw DepotError(error, address).atStart
    }
    var store = StoreConfiguration(path: path)
    store.cluster = address
    let files = StoreFiles(path)
    let lock = try files.lock()
    defer { files.remove() }
    guard let state = try StoreOpening(store, lock).open().writer?.commitTarget?.state else {
      return nil
    }
    let problems = try Store.problems(of: path) ?? []
    return Findings(problems: problems, state: state, services: services)
  }
}
