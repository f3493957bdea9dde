internal import DepotPostgres
internal import DepotProtocol

/// The tables of a store in a PostgreSQL database: its pages as of a commit, and later commits.
///
/// A commit consists of changes of pages, in parts, and a description of its transactions. One row,
/// the head, has the last commit's number. A service locks it before it commits. So only one
/// service on any host writes at a time, and it first applies all earlier commits of others.
enum ClusterTables {
  /// The number of this layout; a program refuses other layouts.
  static let layout: Int64 = 1

  static let definition = [
    "CREATE SCHEMA IF NOT EXISTS depot",
    """
    CREATE TABLE depot.head (is_single boolean PRIMARY KEY DEFAULT true CHECK (is_single),
      layout bigint NOT NULL, format bigint NOT NULL, page_size bigint NOT NULL,
      sequence bigint NOT NULL, identity bigint NOT NULL, page_count bigint NOT NULL,
      base bigint NOT NULL, base_page_count bigint NOT NULL, timeline text NOT NULL)
    """,
    "CREATE TABLE depot.page (number bigint PRIMARY KEY, data bytea NOT NULL)",
    """
    CREATE TABLE depot.commit (sequence bigint NOT NULL, part bigint NOT NULL,
      identity bigint NOT NULL, page_count bigint NOT NULL, changes bytea NOT NULL,
      told bytea NOT NULL, PRIMARY KEY (sequence, part))
    """,
    // The changes are already so compact that compression isn't worthwhile.
    """
    ALTER TABLE depot.commit ALTER changes SET STORAGE EXTERNAL, ALTER told SET STORAGE EXTERNAL
    """,
    """
    CREATE TABLE depot.service (id bigserial PRIMARY KEY, host text NOT NULL,
      process bigint NOT NULL, seen timestamptz NOT NULL DEFAULT now())
    """,
  ]

  /// The channel on which commits are announced.
  static let channel = "depot_commit"

  /// Announces a commit in its own transaction, which waits neither for others nor for the disk.
  static let announce = """
    SELECT set_config('synchronous_commit', 'off', true), pg_notify('\(channel)', $1)
    """

  static let head = """
    SELECT sequence, base, base_page_count, layout, format, page_size, timeline, identity FROM depot.head
    """

  /// The most rows of ``commits``, and of ``fewCommits``.
  static let most = 64
  static let fewest = 16

  /// Reads the commits after one, with their parts in order.
  static let commits = """
    SELECT sequence, part, identity, page_count, changes, told FROM depot.commit
    WHERE sequence > $1 ORDER BY sequence, part LIMIT \(most)
    """

  /// Like ``commits``, but contents are included only up to 64 KiB in total.
  static let fewCommits = """
    SELECT sequence, part, identity, page_count, CASE WHEN bytes < 65536 THEN changes END,
      CASE WHEN bytes < 65536 THEN told END
    FROM (SELECT *, sum(octet_length(changes) + octet_length(told)) OVER (ORDER BY sequence, part) AS bytes
      FROM depot.commit WHERE sequence > $1 ORDER BY sequence, part LIMIT \(fewest)) AS s
    """

  /// Reads the random identity of a commit.
  static let identity = "SELECT identity FROM depot.commit WHERE sequence = $1 AND part = 0"

  static let addCommit = "INSERT INTO depot.commit VALUES ($1, $2, $3, $4, $5, $6)"

  static let setHead = """
    UPDATE depot.head SET sequence = $1, identity = $2, page_count = $3, timeline = $4
    """

  /// Prevents the deletion of commits while a local copy is made.
  ///
  /// That may take longer than other services need for the next two bases.
  static let holdCommits = "SELECT pg_advisory_lock_shared(hashtext('depot commits'))"
  static let releaseCommits = "SELECT pg_advisory_unlock_shared(hashtext('depot commits'))"

  /// Deletes commits up to `$1`, except the newest ones with `$2` bytes of changes in total.
  ///
  /// It does nothing while a local copy is made; the next base deletes them then.
  static let deleteCommits = """
    DELETE FROM depot.commit WHERE sequence <= $1
    AND sequence < (SELECT sequence FROM (
      SELECT sequence, sum(octet_length(changes)) OVER (ORDER BY sequence DESC, part DESC) AS later
      FROM depot.commit ORDER BY sequence DESC, part DESC) AS s WHERE later > $2 LIMIT 1)
    AND (SELECT pg_try_advisory_xact_lock(hashtext('depot commits')))
    """

  /// The SQL for the cluster's timeline, which changes with each promotion of a standby.
  static let timeline = "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"

  /// The timeline of a restored store, whose first commit begins another epoch.
  static let restored = "restored"
}

/// The head of a store in a cluster.
struct ClusterHead {
  /// The number of its last commit, and its random identity.
  var sequence: Int64
  var identity: Int64
  /// The commit whose pages are all in ``ClusterTables``, and the number of these pages.
  var base: Int64
  var basePageCount: Int64
  var layout: Int64
  var format: Int64
  var pageSize: Int64
  /// The cluster's timeline at the last commit.
  var timeline: String

  /// Reads the row of ``ClusterTables/head``.
  ///
  /// - Throws: ``DepotError`` `storage.cluster` if the table is empty.
  init(_ result: PostgresResult) throws(DepotError) {
    guard result.rowCount == 1 else {
      throw DepotError(.unfitCluster, "The tables of the store in the cluster are empty.")
        .hint("Restore the database from a backup, or drop its schema depot.")
    }
    sequence = result.integer(0)
    base = result.integer(1)
    basePageCount = result.integer(2)
    layout = result.integer(3)
    format = result.integer(4)
    pageSize = result.integer(5)
    timeline = result.text(6)
    identity = result.integer(7)
  }
}
