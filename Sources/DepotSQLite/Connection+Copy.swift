internal import CDepotSQLite

extension Connection {
  /// Rewrites the database in place, without free pages.
  ///
  /// The corresponding statement is `VACUUM`.
  ///
  /// - Throws: ``SQLiteError``; then the database is unchanged.
  package func vacuum() throws(SQLiteError) {
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
    defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0) }
    try execute("VACUUM")
  }

  /// Writes a compacted copy of the database into an empty file, with checksums in its pages.
  ///
  /// The corresponding statement is `VACUUM INTO`.
  ///
  /// - Throws: ``SQLiteError``; the unfinished file is then useless.
  package func vacuum(into path: String) throws {
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
    defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0) }
    try statement("VACUUM INTO ?1").run([.text(path)])
  }

  /// Copies a snapshot of the database into a file that doesn't exist yet.
  ///
  /// The caller must flush the file to disk. The corresponding C functions are `sqlite3_backup_*`.
  ///
  /// - Throws: ``SQLiteError``; the unfinished file is then useless.
  package func copy(to path: String, check: () throws -> Void) throws {
    let copy = try Connection(path: path, access: .writer)
    try copy.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else {
      throw SQLiteError(database: copy.handle)
    }
    var code = SQLITE_OK
    do {
      // The source stays in one transaction, because SQLite would restart the copy after each
      // commit.
      try statement("BEGIN").runBound()
      while code == SQLITE_OK {
        try check()
        code = sqlite3_backup_step(backup, 4096)
      }
    } catch {
      sqlite3_backup_finish(backup)
      throw error
    }
    let isDone = code == SQLITE_DONE
    code = sqlite3_backup_finish(backup)
    guard isDone, code == SQLITE_OK else { throw SQLiteError(database: copy.handle) }
  }
}
