internal import DepotPostgres
internal import DepotSQLite

/// The pages of a store as of a commit, for the cluster, which gets the changed ones.
///
/// New local copies are made from these pages, so that earlier commits needn't be kept.
// because the thread that makes it hands it over, and never uses it again
final class ClusterBase: @unchecked Sendable {
  /// The commit, and the random number by which it is known.
  let sequence: Int64
  private let identity: Int64
  /// The commit since which pages have changed, and these pages.
  private let last: Int64
  let changed: Set<UInt32>
  private let pages: SnapshotPages
  private let connection: Connection

  /// Of how many steps from base to base the commits are kept.
  private static let keptSteps = 8
  /// How many pages are sent in one statement.
  private static let together = 256

  /// Takes note of the pages as they are now, on the thread of the connection that writes.
  ///
  /// - Throws: ``SQLiteError``.
  init?(
    path: String,
    sequence: Int64,
    identity: Int64,
    since last: Int64,
    changed: Set<UInt32>
  ) throws(SQLiteError) {
    self.sequence = sequence
    self.identity = identity
    self.last = last
    self.changed = changed
    connection = try Connection(path: path, access: .reader)
    try connection.beginReading()
    guard let pages = try SnapshotPages(connection) else { return nil }
    self.pages = pages
  }

  /// Writes the pages that have changed since the base that the cluster has, or all of them if it has an older one
  /// than it had: a standby that took over, or a crash, may have taken a base back.
  ///
  /// - Parameters:
  ///   - connection: The connection to the cluster.
  ///   - step: How many bytes of commits there are from base to base.
  ///   - look: Is called now and then with the last commit of the cluster; it returns whether to go on.
  /// - Returns: Whether that was done; another service may be doing it, or have done so a moment ago.
  /// - Throws: ``PostgresError``, also if the cluster hasn't got the commit; nothing was written then.
  func write(
    to connection: PostgresConnection,
    keeping step: Int,
    _ look: (Int64) -> Bool
  ) throws(PostgresError) -> Bool {
    let begun = try connection.run([
      PostgresStatement("BEGIN"),
      PostgresStatement("SELECT pg_try_advisory_xact_lock(hashtext('depot base'))"),
      PostgresStatement(Self.question, [.integer(sequence), .integer(identity)]),
    ])
    let facts = begun[2]
    guard facts.rowCount == 1 else { throw PostgresError(.lost, "depot.head has no row") }
    let base = facts.integer(0)
    let hasCommit = facts.boolean(1)
    guard begun[1].boolean(0), base < sequence else {
      try connection.run("ROLLBACK")
      return base >= sequence && hasCommit
    }
    guard hasCommit else {
      throw PostgresError(.lost, "the server hasn't got the last commit")
    }
    let warnings = connection.warningCount
    do {
      let numbers = base >= last ? changed.filter { $0 <= pages.count }.sorted() : allPages
      for start in stride(from: 0, to: numbers.count, by: Self.together) {
        try write(numbers[start..<min(start + Self.together, numbers.count)], to: connection)
        // This thread must look for new commits itself while it writes the pages.
        guard look(try connection.run("SELECT sequence FROM depot.head").integer(0)) else {
          try connection.run("ROLLBACK")
          return false
        }
      }
      try connection.run([
        PostgresStatement(
          "DELETE FROM depot.page WHERE number > $1",
          [.integer(Int64(pages.count))]
        ),
        // Services that are further behind have to make their copies anew.
        PostgresStatement(
          ClusterTables.deleteCommits,
          [.integer(sequence), .integer(Int64(Self.keptSteps * step))]
        ),
        PostgresStatement(
          "UPDATE depot.head SET base = $1, base_page_count = $2",
          [.integer(sequence), .integer(Int64(pages.count))]
        ),
        PostgresStatement("COMMIT"),
      ])
      // Somebody has ended the wait for a standby, which may not have it.
      return connection.warningCount == warnings
    } catch let error as PostgresError {
      connection.rollBack()
      throw error
    } catch {
      // A page that is damaged here stays as it was there.
      _ = try connection.run("ROLLBACK")
      return false
    }
  }

  /// Reads the commit of the base, and whether a commit is one of the cluster's.
  private static let question = """
    SELECT base, sequence = $1 AND identity = $2
      OR EXISTS (SELECT 1 FROM depot.commit WHERE sequence = $1 AND part = 0 AND identity = $2)
    FROM depot.head
    """

  private var allPages: [UInt32] {
    (1...UInt32(pages.count)).filter {
      !DatabaseHeader.isNeverUsed(Int($0), pageSize: pages.size)
    }
  }

  private func write(_ numbers: ArraySlice<UInt32>, to connection: PostgresConnection) throws {
    var data: [PostgresValue] = []
    for number in numbers {
      var page = [UInt8](repeating: 0, count: pages.size)
      try page.withUnsafeMutableBytes { try pages.read(number, into: $0) }
      data.append(.bytes(page))
    }
    try connection.run(
      """
      INSERT INTO depot.page SELECT * FROM unnest($1::bigint[], $2::bytea[])
      ON CONFLICT (number) DO UPDATE SET data = excluded.data
      """,
      [
        .array(of: .integer, numbers.map { .integer(Int64($0)) }), .array(of: .bytes, data),
      ]
    )
  }
}
