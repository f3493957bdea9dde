internal import DepotPostgres
internal import DepotSQLite

/// The changed pages of a store as of a commit, to be written into the cluster.
///
/// The pages in the cluster are the base of new local copies, so that earlier commits can be
/// deleted.
final class ClusterBase {
  /// The commit, and its random identity.
  let sequence: Int64
  private let identity: Int64
  /// The commit since which pages have changed, and the numbers of these pages.
  private let last: Int64
  let changed: Set<UInt32>
  private let pages: SnapshotPages
  private let connection: Connection

  /// The number of base updates for which commits are kept.
  private static let keptSteps = 8
  /// The number of pages in one statement.
  private static let together = 256

  /// Captures the current pages, on the thread of the writing connection.
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

  /// Writes the pages that have changed since the cluster's base.
  ///
  /// It writes all pages if the cluster has an older base than expected: after a crash, or when a
  /// standby took over, it may have lost the newest one.
  ///
  /// - Parameters:
  ///   - connection: The connection to the cluster.
  ///   - step: The size in bytes of commits between two bases.
  ///   - look: A closure that is called repeatedly with the last commit of the cluster; it returns
  ///     whether to continue.
  /// - Returns: Whether the base was written; another service may be writing it, or may have just
  ///   done so.
  /// - Throws: ``PostgresError``, also if the cluster doesn't have the commit; then nothing was
  ///   written.
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
        // While it writes the pages, this thread must check for new commits itself.
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
        // Services that are further behind must make new local copies.
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
      // The wait for a standby was interrupted, so it may not have the commit.
      return connection.warningCount == warnings
    } catch let error as PostgresError {
      connection.rollBack()
      throw error
    } catch {
      // A page that is damaged in the copy stays unchanged in the cluster.
      _ = try connection.run("ROLLBACK")
      return false
    }
  }

  /// Reads the base's commit, and whether the cluster has a commit.
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
