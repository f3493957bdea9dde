internal import DepotPostgres
internal import DepotProtocol

/// The tables of a store in a PostgreSQL database: its pages as of some commit, and the commits since.
///
/// A commit has changes of pages, in parts, and a description of its transactions. One row, the
/// head, names the last commit. A service locks it before it commits. So there is one writer at a
/// time among all services on all hosts, and each writer begins with all commits of the ones
/// before.
enum ClusterTables {
  /// The layout of these tables; a program refuses others.
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
    // Changes as compact as these needn't be compressed again.
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

  /// Announces a commit, in a transaction of its own, which waits neither for others nor for the disk.
  static let announce = """
    SELECT set_config('synchronous_commit', 'off', true), pg_notify('\(channel)', $1)
    """

  static let head = """
    SELECT sequence, base, base_page_count, layout, format, page_size, timeline, identity FROM depot.head
    """

  /// The most rows of ``commits``, and of ``fewCommits``.
  static let most = 64
  static let fewest = 16

  /// Reads commits after one, whose parts follow each other.
  static let commits = """
    SELECT sequence, part, identity, page_count, changes, told FROM depot.commit
    WHERE sequence > $1 ORDER BY sequence, part LIMIT \(most)
    """

  /// Reads later commits; changes are included only up to 64 KiB in total.
  static let fewCommits = """
    SELECT sequence, part, identity, page_count, CASE WHEN bytes < 65536 THEN changes END,
      CASE WHEN bytes < 65536 THEN told END
    FROM (SELECT *, sum(octet_length(changes) + octet_length(told)) OVER (ORDER BY sequence, part) AS bytes
      FROM depot.commit WHERE sequence > $1 ORDER BY sequence, part LIMIT \(fewest)) AS s
    """

  /// Reads the random number by which a commit is known.
  static let identity = "SELECT identity FROM depot.commit WHERE sequence = $1 AND part = 0"

  static let addCommit = "INSERT INTO depot.commit VALUES ($1, $2, $3, $4, $5, $6)"

  static let setHead = """
    UPDATE depot.head SET sequence = $1, identity = $2, page_count = $3, timeline = $4
    """

  /// Keep commits while a copy is made, which may take longer than others need for the next two bases.
  static let holdCommits = "SELECT pg_advisory_lock_shared(hashtext('depot commits'))"
  static let releaseCommits = "SELECT pg_advisory_unlock_shared(hashtext('depot commits'))"

  /// Deletes commits up to one, but for the last so many bytes of all, unless a copy is being made; the next base
  /// deletes them then.
  static let deleteCommits = """
    DELETE FROM depot.commit WHERE sequence <= $1
    AND sequence < (SELECT sequence FROM (
      SELECT sequence, sum(octet_length(changes)) OVER (ORDER BY sequence DESC, part DESC) AS later
      FROM depot.commit ORDER BY sequence DESC, part DESC) AS s WHERE later > $2 LIMIT 1)
    AND (SELECT pg_try_advisory_xact_lock(hashtext('depot commits')))
    """

  /// The timeline of the cluster, which changes with each promotion of a standby.
  static let timeline = "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"

  /// The timeline of a store that was restored, whose first commit begins another epoch.
  static let restored = "restored"
}

/// The head of a store in a cluster.
struct ClusterHead {
  /// The number of its last commit, and the random number by which that is known.
  var sequence: Int64
  var identity: Int64
  /// The commit that ``ClusterTables`` have all pages of, and the number of these pages.
  var base: Int64
  var basePageCount: Int64
  var layout: Int64
  var format: Int64
  var pageSize: Int64
  /// The timeline of the cluster at the last commit.
  var timeline: String

  /// Reads the row of ``ClusterTables/head``.
  ///
  /// - Throws: ``DepotError`` `storage.cluster` if somebody has emptied the table.
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
