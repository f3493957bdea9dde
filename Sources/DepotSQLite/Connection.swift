internal import CDepotSQLite

/// A connection to one SQLite file, closed when the last reference goes away.
///
/// It isn't `Sendable`: keep it inside one actor or one thread.
package final class Connection {
  /// The rights of a connection.
  package enum Access: Sendable {
    /// Write, and checkpoint when told to; at most one such connection may be open per file.
    case writer
    /// Read only; it never checkpoints.
    case reader
    /// Read a file that may not be written; it may be in any folder, and no file is made beside it.
    case frozen
    /// Read and write as any program that uses SQLite: no checksums, and locks on the file itself.
    ///
    /// So comparisons are fair, and so stores of older formats are made for tests.
    case plain
    /// Read a file that nobody changes, as any program with SQLite does; no file is made beside it.
    case unchanging
  }

  /// Whether the file is one of any program, without checksums.
  private static func isForeign(_ access: Access) -> Bool {
    access == .plain || access == .unchanging
  }

  package let handle: OpaquePointer
  /// Whether functions end the statement, as one that was interrupted, before they work on a large value.
  package var refusesLargeValues = false
  private var statements: [String: Statement] = [:]
  /// How many bytes of SQL the kept statements have, and may have.
  private var statementBytes = 0
  private static let keptBytes = 4 << 20
  /// Whether statements are kept, so that each text has one at most.
  package var keepsStatements = true
  /// Kept alive for SQLite, which holds it unretained.
  var watcher: ProgressCheck?
  /// The work that is done while statements run; see ``work(_:)``.
  var lastingWork: (() -> Void)?
  /// The observer of the rows that change; see ``observe(_:)``.
  var changeObserver: (any ChangeObserver)?
  /// How many rows the reads looked at one after the other that were counted since somebody took the number.
  package var scannedRows = 0
  /// The place in the log up to which the open transaction sees; see ``beginReading()``.
  var mark: SnapshotMark?
  /// How many pages the write-ahead log held after this connection's last commit.
  package internal(set) var walPageCount = 0

  /// Opens the file at `path`, which a writer creates if it is missing.
  ///
  /// The connection is hardened as sqlite.org/security.html advises, and nothing checkpoints by
  /// itself.
  ///
  /// - Throws: ``SQLiteError`` if SQLite can't open it.
  package init(path: String, access: Access) throws(SQLiteError) {
    guard Self.isConfigured else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "SQLite can't be configured")
    }
    var handle: OpaquePointer?
    let mode =
      switch access {
      case .writer, .plain: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .reader: SQLITE_OPEN_READWRITE
      case .frozen: SQLITE_OPEN_READONLY
      case .unchanging: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      }
    let system = Self.isForeign(access) ? nil : VirtualFileSystem.name
    let path = access == .unchanging ? Self.unchangingName(of: path) : path
    let flags = mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW
    guard sqlite3_open_v2(path, &handle, flags, system) == SQLITE_OK, let handle
    else {
      let error = SQLiteError(database: handle)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    for (option, value): (Int32, Int32) in [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      (SQLITE_DBCONFIG_DQS_DDL, 0), (SQLITE_DBCONFIG_DQS_DML, 0),
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0), (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1),
    ] {
      depot_db_config(handle, option, value)
    }
    // This takes the place of SQLite's own hook, which checkpoints.
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().walPageCount = Int(pages)
        return SQLITE_OK
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
    // A file that is new leaves room for the checksum of each page.
    if !Self.isForeign(access) {
      var reserved = Int32(PageChecksum.size)
      sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
    }
    sqlite3_busy_timeout(handle, 5000)
  }

  /// Returns the name by which SQLite takes a file for one that nobody changes (sqlite.org/uri.html).
  private static func unchangingName(of path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    let escaped = path.utf8.flatMap { byte -> [UInt8] in
      let isPlain = byte < 0x80 && byte > 0x20 && !"%?#".utf8.contains(byte)
      return isPlain
        ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return "file:" + String(decoding: escaped, as: UTF8.self) + "?immutable=1"
  }

  /// Configures the library once, before its first use in this process.
  private static let isConfigured =
    depot_configure_sqlite() == SQLITE_OK && VirtualFileSystem.isRegistered

  deinit {
    statements = [:]
    sqlite3_close_v2(handle)
  }

  /// Returns the statement for `sql`, compiled at its first use and kept if ``keepsStatements``.
  ///
  /// - Throws: ``SQLiteError`` if SQLite refuses the text.
  package func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if keepsStatements, let statement = statements[sql] { return statement }
    let statement = try Statement(preparing: sql, on: handle)
    let size = sql.utf8.count
    guard keepsStatements, size <= Self.keptBytes / 64 else { return statement }
    if statements.count >= 256 || statementBytes + size > Self.keptBytes { forgetStatements() }
    statements[sql] = statement
    statementBytes += size
    return statement
  }

  /// Runs statements once that need no values and whose rows don't matter.
  ///
  /// The corresponding C function is `sqlite3_exec`.
  package func execute(_ sql: String) throws(SQLiteError) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw SQLiteError(database: handle, sql: sql)
    }
  }

  /// Forgets the kept statements, as after a change of the tables.
  package func forgetStatements() {
    statements = [:]
    statementBytes = 0
  }

  /// Lets the file's triggers write to virtual tables, which SQLite 3.40 refuses for full-text
  /// indexes and r-trees otherwise.
  ///
  /// A file that somebody has tampered with could then make use of them too; functions remain out
  /// of its reach, because none of ours may be called by triggers unless it says so.
  package func trustTriggers() {
    depot_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1)
  }

  /// Whether a transaction is open.
  ///
  /// The corresponding C function is `sqlite3_get_autocommit`.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// How many rows the last statement changed.
  ///
  /// The corresponding C function is `sqlite3_changes64`.
  package var changeCount: Int { Int(sqlite3_changes64(handle)) }
}
