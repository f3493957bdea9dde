import DepotLinux
import Foundation
import Synchronization

/// A PostgreSQL server with a cluster in a temporary folder; it ends with the last reference to it.
///
/// It listens on a Unix socket and trusts everybody who reaches it. It keeps what it acknowledges, as `fsync` is on.
package final class TemporaryCluster: Sendable {
  /// The name by which it is told from others: its `cluster_name`, and its `application_name` as a standby.
  package let name: String
  package let port: Int
  let folder: TemporaryFolder
  let server = Mutex<TestProcess?>(nil)

  /// Creates a cluster and starts its server.
  ///
  /// - Parameters:
  ///   - name: Its ``name``.
  ///   - settings: What is to be in its configuration.
  ///   - listensOnTCP: Whether it listens on a free port of 127.0.0.1 too.
  /// - Throws: ``TestFailure`` if it can't be made.
  package init(
    name: String = "n1",
    settings: [String: String] = [:],
    listensOnTCP: Bool = false
  ) throws {
    self.name = name
    port = listensOnTCP ? try Self.freePort() : 5432
    folder = try TemporaryFolder()
    try makeFolder()
    try runTool(
      "initdb",
      "-D",
      data,
      "-U",
      "depot",
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C",
      "-k",
      "--no-sync",
      "--no-instructions"
    )
    try write(Self.settings.merging(settings) { $1 }.merging(ownSettings) { $1 })
    if listensOnTCP { try write(["listen_addresses": "127.0.0.1"]) }
    try start()
  }

  /// Creates a standby in the folder of its primary, and starts its server.
  init(name: String, of primary: TemporaryCluster) throws {
    self.name = name
    port = primary.port
    folder = primary.folder
    try makeFolder()
    try copy(primary)
  }

  deinit { try? stop(.immediate) }

  /// The folder of its socket, which also holds the folder of its data.
  package var path: String { folder.path + "/" + name }

  /// The folder of its data.
  package var data: String { path + "/data" }

  /// A connection string for a database, by the Unix socket.
  package func address(database: String = "postgres") -> String {
    Self.address(of: [self], database: database)
  }

  /// A connection string for a database of the first of several servers that may be written to.
  package static func address(
    of clusters: [TemporaryCluster],
    database: String = "postgres"
  ) -> String {
    let hosts = clusters.map(\.path).joined(separator: ",")
    let ports = clusters.map { String($0.port) }.joined(separator: ",")
    let attributes = clusters.count > 1 ? " target_session_attrs=read-write" : ""
    return "host=\(hosts) port=\(ports) user=depot dbname=\(database)\(attributes)"
  }

  /// Runs statements with psql, and returns the rows as lines whose values `|` separates.
  @discardableResult
  package func sql(_ text: String, database: String = "postgres") throws -> String {
    let output = try runTool(
      "psql",
      "-XAtq",
      "-v",
      "ON_ERROR_STOP=1",
      "-c",
      text,
      address(database: database)
    )
    return String(output.dropLast())
  }

  /// Waits until a condition holds.
  ///
  /// - Throws: ``TestFailure`` with what is wrong if it doesn't come to hold.
  func wait(_ complaint: String, until condition: () throws -> Bool) throws {
    let isMet: Bool? = try poll { try condition() ? true : nil }
    if isMet != true { throw TestFailure("\(name) \(complaint)") }
  }

  /// Adds to the configuration, and waits until the server has read it.
  ///
  /// What only holds after a restart does then.
  package func configure(_ settings: [String: String]) throws {
    let loaded = isRunning ? try sql("SELECT pg_conf_load_time()") : nil
    try write(settings)
    guard let loaded else { return }
    server.withLock { $0?.signal(SIGHUP) }
    try wait("doesn't read its configuration") { try sql("SELECT pg_conf_load_time()") != loaded }
  }
}
