internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

extension Writer {
  /// Rebuilds the tables and indexes, without free pages and gaps, as one commit.
  ///
  /// It is SQLite's `VACUUM`: readers keep the pages of their snapshots, and writers wait. The file
  /// shrinks with the next complete checkpoint.
  ///
  /// - Throws: ``SQLiteError`` if the content of the disk is now unknown.
  func compact(_ request: WriteRequest) throws(SQLiteError) -> WriteOutcome {
    let result: Result<WriteReply, DepotError>
    do {
      result = .success(try compact(request.control))
    } catch let error as DepotError {
      result = .failure(error)
    } catch let error as SQLiteError {
      guard error.kind != .broken else { throw error }
      result = .failure(refusal(error))
    } catch {
      result = .failure(DepotError(.bug, "\(error)"))
    }
    return request.outcome(result)
  }

  private func compact(_ control: CallControl) throws -> WriteReply {
    try control.check()
    let before = try size()
    // The new pages are written to a temporary file and then to the log.
    if let room = FileSystem.freeBytes(at: configuration.path), room < before {
      throw DepotError(.full, "There is no room for another copy of the store on its disk.")
        .hint("It takes \(before) bytes, of which \(room) are free.")
    }
    if commitTarget != nil { try acquireClusterLock(for: control) }
    connection.observe(nil)
    defer { connection.observe(recorder) }
    do {
      defer { commitTarget?.releaseWriteLock() }
      try connection.stoppable(by: control) { try connection.vacuum() }
    } catch let error as SQLiteError where error.kind == .full {
      // The log is shortened, so that other writes have space again.
      statistics.isShortening = true
      throw DepotError(.full, "There is no room for two copies of the store for a moment.")
        .hint(
          "One is on its disk; the other where SQLITE_TMPDIR or TMPDIR of depotd says, or in /var/tmp."
        )
    }
    connection.forgetStatements()
    statistics.walBytes = connection.walBytes
    statistics.isShortening = true
    return WriteReply(.compacted(before: before, after: try size()))
  }

  private func size() throws(SQLiteError) -> Int {
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    return Int(pages) * connection.pageSize
  }

  /// Restarts the log after ``compact(_:)``, once all of it is in the file, and truncates its file.
  ///
  /// A reader of the log prevents this; then it must be tried again.
  ///
  /// - Parameter size: The remaining size of the log's file in bytes.
  /// - Returns: Whether the log was restarted.
  /// - Throws: ``SQLiteError`` if the commit fails.
  func shortenLog(to size: Int) throws(SQLiteError) -> Bool {
    guard commitTarget == nil else {
      // In a cluster, the next commit of any service restarts the log.
      statistics.isShortening = false
      return false
    }
    let before = connection.walPageCount
    // Only a commit restarts the log, and a commit without changed pages writes nothing.
    try connection.execute(
      """
      PRAGMA journal_size_limit = \(size);
      BEGIN IMMEDIATE;
      INSERT INTO depot_meta (key, value) VALUES ('shortening', 1);
      DELETE FROM depot_meta WHERE key = 'shortening';
      COMMIT;
      PRAGMA journal_size_limit = -1
      """
    )
    statistics.walBytes = connection.walBytes
    statistics.isShortening = connection.walPageCount > before
    return !statistics.isShortening
  }
}
