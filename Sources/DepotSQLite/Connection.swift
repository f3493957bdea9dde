internal import CDepotSQLite

/// A connection to one SQLite file, closed when the last reference is released.
///
/// It isn't `Sendable`: keep it inside one actor or one thread.
package final class Connection {
  /// The access of a connection to its file.
  package enum Access: Sendable {
    /// Writes, and checkpoints when asked; at most one such connection may be open per file.
    case writer
    /// Reads only; it never checkpoints.
    case reader
    /// Reads a file that may not be written, in any folder; no file is made beside it.
    case frozen
    /// Reads and writes as any program that uses SQLite does: no checksums, and locks on the file.
    ///
    /// For fair comparisons, and for tests that make stores of older formats.
    case plain
    /// Reads an unchanging file as any program with SQLite does; no file is made beside it.
    case unchanging
  }

  /// Whether the file is accessed as any SQLite program does, without checksums.
  private static func isForeign(_ access: Access) -> Bool {
    access == .plain || access == .unchanging
  }

  package let handle: OpaquePointer
  /// The shared state of its file; `nil` if it accesses the file as any SQLite program does.
  private(set) lazy var database = DamagedPage.files(of: handle).first?.1.database
  /// Whether functions interrupt the statement before they work on a large value.
  package var refusesLargeValues = false
  private var statements: [String: Statement] = [:]
  /// The statements that begin and commit a transaction, which need no search by their SQL.
  var beginning: Statement?
  var committing: Statement?
  /// The total size of the cached statements' SQL in bytes, and its limit.
  private var statementBytes = 0
  private static let keptBytes = 4 << 20
  /// Whether compiled statements are cached by their SQL.
  package var keepsStatements = true
  /// The check, kept alive here because SQLite holds it unretained.
  var watcher: ProgressCheck?
  /// The work that runs repeatedly while statements run; see ``work(_:)``.
  var lastingWork: (() -> Void)?
  /// The observer of row changes; see ``observe(_:)``.
  var changeObserver: (any ChangeObserver)?
  /// The tables of rows that the program makes, by their number of columns.
  var rowTables: [Int: RowTable] = [:]
  /// The number of rows that full scans visited in reads, since it was last reset.
  package var scannedRows = 0
  /// The log position up to which the open transaction reads; see ``beginReading()``.
  var mark: SnapshotMark?
  /// The number of pages in the write-ahead log after this connection's last commit.
  package internal(set) var walPageCount = 0
  /// The size of the database's pages in bytes, which never changes.
  package private(set) lazy var pageSize = Int((try? integer("PRAGMA page_size")) ?? 0)
  /// The size of these pages in bytes.
  package var walBytes: Int { walPageCount * pageSize }

  /// Opens the file at `path`, which a writer creates if it is missing.
  ///
  /// The connection is hardened as sqlite.org/security.html advises, and never checkpoints on its
  /// own.
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
    // This replaces SQLite's own hook, which would checkpoint.
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
    // A new file reserves room for the checksum of each page.
    if !Self.isForeign(access) {
      var reserved = Int32(PageChecksum.size)
      sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
    }
    sqlite3_busy_timeout(handle, 5000)
  }

  /// Returns the URI by which SQLite opens a file as immutable (sqlite.org/uri.html).
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
    (statements, beginning, committing) = ([:], nil, nil)
    sqlite3_close_v2(handle)
  }

  /// Returns the statement for `sql`, compiled at its first use and cached if ``keepsStatements``.
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

  /// Runs statements that need no values, and ignores their rows.
  ///
  /// The corresponding C function is `sqlite3_exec`.
  package func execute(_ sql: String) throws(SQLiteError) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw SQLiteError(database: handle, sql: sql)
    }
  }

  /// Removes all cached statements, as after a change of the tables.
  package func forgetStatements() {
    statements = [:]
    statementBytes = 0
  }

  /// Allows the file's triggers to write to virtual tables.
  ///
  /// Without this, SQLite 3.40 refuses it for full-text indexes and r-trees. The triggers of a
  /// manipulated file could then write to them too, but still can't call our functions, except
  /// those added for triggers.
  package func trustTriggers() {
    depot_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1)
  }

  /// Whether a transaction is open.
  ///
  /// The corresponding C function is `sqlite3_get_autocommit`.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// The identifier of the row that was inserted last.
  ///
  /// The corresponding C function is `sqlite3_last_insert_rowid`.
  package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// The number of rows that the last statement changed.
  ///
  /// The corresponding C function is `sqlite3_changes64`.
  package var changeCount: Int { Int(sqlite3_changes64(handle)) }
}
