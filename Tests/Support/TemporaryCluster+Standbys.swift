import Foundation

/// Several servers with the same data.
extension TemporaryCluster {
  /// Makes a standby of this server, and starts it.
  package func makeStandby(named name: String) throws -> TemporaryCluster {
    try TemporaryCluster(name: name, of: self)
  }

  /// Makes servers with the same data, of which the first is the primary, and each commit is on two of them.
  package static func replicated(
    names: [String] = ["n1", "n2", "n3"],
    settings: [String: String] = [:]
  ) throws -> [TemporaryCluster] {
    let primary = try TemporaryCluster(name: names[0], settings: settings)
    let standbys = try names.dropFirst().map { try primary.makeStandby(named: $0) }
    // Standbys have the setting too, which counts when they become the primary.
    for node in standbys + [primary] {
      try node.configure(["synchronous_standby_names": "ANY 1 (\(names.joined(separator: ", ")))"])
    }
    try primary.awaitStandbys(standbys.count)
    return [primary] + standbys
  }

  /// Waits until so many standbys receive what this server writes.
  package func awaitStandbys(_ count: Int) throws {
    try wait("has too few standbys") {
      // Before its first word about what it has, a standby counts as an asynchronous one.
      try sql(
        """
        SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND flush_lsn IS NOT NULL
        """
      ) == "\(count)"
    }
  }

  /// Makes the standby a primary, and waits until it is one.
  package func promote() throws {
    guard try sql("SELECT pg_promote()") == "t" else {
      throw TestFailure("\(name) doesn't become a primary")
    }
  }

  /// Has the standby follow another primary.
  package func follow(_ primary: TemporaryCluster) throws {
    try configure(["primary_conninfo": primary.connectionOfStandby(name)])
  }

  /// Makes a server that was a primary a standby, with a new copy of the data.
  package func rejoin(_ primary: TemporaryCluster) throws {
    kill()
    try FileManager.default.removeItem(atPath: data)
    try copy(primary)
  }

  func copy(_ primary: TemporaryCluster) throws {
    let address = primary.connectionOfStandby(name)
    try runTool("pg_basebackup", "-R", "-D", data, "-d", address, "-c", "fast", "--no-sync")
    try write(ownSettings)
    try start()
  }

  private func connectionOfStandby(_ name: String) -> String {
    "host=\(path) port=\(port) user=depot application_name=\(name)"
  }
}
