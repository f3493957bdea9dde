internal import DepotLinux
internal import DepotPostgres
internal import DepotProtocol
internal import Glibc

/// A connection to a store's cluster, after its server has passed all checks.
final class ClusterSession {
  let connection: PostgresConnection
  /// The system identifier of the cluster, which its standbys have too.
  let system: Int64
  /// The timeline of the cluster, which changes when a standby takes over.
  let timeline: String
  let safety: ClusterSafety
  /// Whether the result of ``ClusterTables/announce`` hasn't been read yet.
  private var isAnnouncing = false

  /// The application name of services' writing sessions.
  static let name = "depotd"
  /// The longest wait for the server in nanoseconds.
  private static let timeLimit: UInt64 = 30_000_000_000

  /// Connects, and reads the server's settings and version.
  ///
  /// - Throws: ``DepotError`` `unavailable.cluster`, or `storage.cluster` if it isn't suited for a
  ///   store.
  init(_ address: ClusterAddress) throws(DepotError) {
    do {
      let connection = try PostgresConnection(
        address.text,
        settings: ["application_name": Self.name]
      )
      connection.timeLimit = Self.timeLimit
      let results = try connection.run([
        PostgresStatement(Self.question),
        PostgresStatement("SET idle_in_transaction_session_timeout = '\(address.turnSeconds)s'"),
        // Statements are planned only once. A plan made while there are few commits would otherwise
        // read all of them to find the newest. The head's statement has only one plan, and its
        // estimated cost would cause JIT compilation each time.
        PostgresStatement("SET plan_cache_mode = force_generic_plan"),
        PostgresStatement("SET enable_seqscan = off"),
        PostgresStatement("SET jit = off"),
        // The server ends a statement of this service before, or soon after, the service itself
        // stops waiting.
        PostgresStatement("SET lock_timeout = '25s'"),
        PostgresStatement("SET tcp_user_timeout = '30s'"),
        PostgresStatement("SET tcp_keepalives_idle = 5"),
        PostgresStatement("SET tcp_keepalives_interval = 5"),
        PostgresStatement("SET tcp_keepalives_count = 5"),
        Self.makeDurable,
      ])
      self.connection = connection
      let facts = results[0]
      safety = ClusterSafety(
        isReplicated: facts.boolean(4),
        hasChecksums: facts.text(5) == "on"
      )
      try Self.check(facts, address)
      let place = try connection.run(
        "SELECT \(ClusterTables.timeline), system_identifier FROM pg_control_system()"
      )
      timeline = place.text(0)
      system = place.integer(1)
    } catch {
      throw DepotError(error, address)
    }
  }

  /// Makes commits durable before they are acknowledged, on a synchronous standby too.
  ///
  /// It overrides the database's default.
  static let makeDurable = PostgresStatement(
    """
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') <> 'remote_apply'
    """
  )

  /// Checks that this is the earlier session's cluster, and not a primary replaced since.
  ///
  /// - Throws: ``DepotError`` `storage.cluster`, or `unavailable.cluster`.
  func check(against earlier: ClusterSession, _ address: ClusterAddress) throws(DepotError) {
    guard system == earlier.system else {
      throw DepotError(
        .unfitCluster,
        "\(address.description) leads to another cluster than before."
      )
      .hint("Have it lead to the cluster of the store again, or start depotd again.")
    }
    // Of the same width, they are in order as texts.
    guard timeline >= earlier.timeline else {
      throw .unreachable("\(address.description): a standby has taken over from this server.")
    }
  }

  /// Announces that a service is active while the session exists.
  ///
  /// When it returns, everything that the server has committed before is durable.
  func begin(_ service: Int64) throws(PostgresError) {
    let warnings = connection.warningCount
    let insert = """
      INSERT INTO depot.service (id, host, process) VALUES ($1, $2, $3)
      ON CONFLICT (id) DO UPDATE SET seen = now()
      """
    try connection.run([
      // A write that waits for the lock checks its deadline and cancellation at this interval.
      PostgresStatement("SET lock_timeout = '2s'"),
      PostgresStatement(
        "SELECT pg_try_advisory_lock_shared(\(Self.services), $1::int)",
        [.integer(service)]
      ),
      PostgresStatement(
        insert,
        [.integer(service), .text(Process.hostName), .integer(Int64(Process.identifier))]
      ),
    ])
    guard connection.warningCount == warnings else {
      throw PostgresError(.lost, "the wait for a standby was interrupted")
    }
  }

  /// Removes and returns the numbers of services that have ended; they are never reused.
  func takeEndedServices(but service: Int64) throws(PostgresError) -> [Int64] {
    let ended = try connection.run(
      """
      DELETE FROM depot.service AS s WHERE id <> $1 AND NOT EXISTS (SELECT 1 FROM pg_locks
      WHERE locktype = 'advisory' AND classid = \(Self.services)::oid AND objid = s.id::oid AND objsubid = 2
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) RETURNING id
      """,
      [.integer(service)]
    )
    return (0..<ended.rowCount).map { ended.integer(0, row: $0) }
  }

  /// The SQLSTATE of a statement that has waited too long for a lock.
  static let lockTimedOut = "55P03"

  /// The first half of the keys of the locks that active services hold.
  private static let services = "hashtext('depot service')"

  /// Announces a commit to other services without waiting; they look for commits regularly anyway.
  func announce(_ commit: Int64) {
    guard !connection.isBroken else { return }
    let statement = PostgresStatement(ClusterTables.announce, [.text(String(commit))])
    isAnnouncing = (try? connection.send([statement])) != nil
  }

  /// Reads the result of the last announcement, which must have arrived by now.
  func endAnnouncing() throws(PostgresError) {
    guard isAnnouncing else { return }
    isAnnouncing = false
    _ = try connection.receive()
  }

  private static let question = """
    SELECT version(), pg_is_in_recovery(), current_setting('fsync') = 'on',
      current_setting('server_encoding'), current_setting('synchronous_standby_names') <> '',
      current_setting('data_checksums'),
      EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')
    """

  /// Whether a server is PostgreSQL 12 or newer, and not another engine with the same protocol.
  static func isCertified(_ version: String, hasCitus: Bool) -> Bool {
    let name = "PostgreSQL "
    let others = [
      "YB-", "Yugabyte", "Greenplum", "Redshift", "Materialize", "openGauss", "QuestDB",
    ]
    guard version.hasPrefix(name), !hasCitus, !others.contains(where: version.contains) else {
      return false
    }
    return Int(version.dropFirst(name.count).prefix(while: \.isNumber)).map { $0 >= 12 } ?? false
  }

  /// Throws an error for a cluster that could lose acknowledged commits, or that wasn't tested.
  private static func check(_ facts: PostgresResult, _ address: ClusterAddress) throws(DepotError) {
    let version = facts.text(0)
    guard isCertified(version, hasCitus: facts.boolean(6)) || address.allowsUncertified else {
      throw DepotError(.unfitCluster, "Stores are untested in this engine: \(version).")
        .hint("Start depotd with --allow-uncertified to try it yourself.")
    }
    guard !facts.boolean(1) else {
      throw DepotError(.unfitCluster, "The server is a standby, which takes no writes.")
        .hint("Name all hosts, and target_session_attrs=read-write, in the address.")
    }
    guard facts.boolean(2) else {
      throw DepotError(
        .unfitCluster,
        "The cluster runs with fsync = off, so that a crash would lose acknowledged commits."
      )
      .hint("Set fsync = on in postgresql.conf, and restart it.")
    }
    guard facts.text(3) == "UTF8" else {
      throw DepotError(.unfitCluster, "The database's encoding is \(facts.text(3)), not UTF8.")
        .hint("CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.")
    }
  }
}

extension DepotError {
  /// The error for a cluster without commits that it had acknowledged.
  static var lostCommits: Self {
    Self(.corrupt, "The cluster has lost commits that were acknowledged.")
      .hint(
        "Was a standby promoted that hadn't got them, or a backup restored? Start depotd again."
      )
  }

  static var staleCopy: Self {
    Self(.corrupt, "This copy of the store is too old to be brought up to date.")
      .hint("Start depotd again, which makes it anew.")
  }
}

/// The durability of commits in a cluster.
package struct ClusterSafety: Hashable, Sendable {
  /// Whether a commit waits for a standby.
  package var isReplicated: Bool
  /// Whether the cluster's pages have checksums.
  package var hasChecksums: Bool

  /// The durability as text.
  package var summary: String {
    (isReplicated ? "durable on a standby" : "durable on one machine")
      + (hasChecksums ? "" : ", without data checksums")
  }
}
