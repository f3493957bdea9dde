internal import CDepotSQLite

extension Connection {
  /// Writes the database anew in its place, without free pages.
  ///
  /// The corresponding statement is `VACUUM`.
  ///
  /// - Throws: ``SQLiteError``; then the database is as it was.
  package func vacuum() throws(SQLiteError) {
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
    defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0) }
    try execute("VACUUM")
  }

  /// Writes the database anew into an empty file, whose pages have room for their checksums.
  ///
  /// The corresponding statement is `VACUUM INTO`.
  ///
  /// - Throws: ``SQLiteError``; the unfinished file is then useless.
  package func vacuum(into path: String) throws {
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
    defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0) }
    try statement("VACUUM INTO ?1").run([.text(path)])
  }

  /// Copies the database as it is at one moment into a file that doesn't exist yet.
  ///
  /// Nothing is flushed: that is up to the caller. The corresponding C functions are
  /// `sqlite3_backup_*`.
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
      // One transaction of the source, so that later commits don't begin it anew.
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
