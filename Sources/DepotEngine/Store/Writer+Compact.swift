internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

extension Writer {
  /// Makes the tables and indexes anew, without free pages and gaps, as one commit.
  ///
  /// It is SQLite's `VACUUM`: those who read go on with the pages that they see, those who write wait. The file gets
  /// shorter with the next complete checkpoint.
  ///
  /// - Throws: ``SQLiteError`` if nobody knows what is on disk now.
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
    // The new pages go to the log, and before that to a file of their own.
    if let room = FileSystem.freeBytes(at: configuration.path), room < before {
      throw DepotError(.full, "There is no room for another copy of the store on its disk.")
        .hint("It takes \(before) bytes, of which \(room) are free.")
    }
    if home != nil { try beginTurn(for: control) }
    connection.observe(nil)
    defer { connection.observe(recorder) }
    do {
      defer { home?.endTurn() }
      try connection.stoppable(by: control) { try connection.vacuum() }
    } catch let error as SQLiteError where error.kind == .full {
      // Other writes needn't want for room, once the log is no longer than before.
      statistics.isShortening = true
      throw DepotError(.full, "There is no room for two copies of the store for a moment.")
        .hint(
          "One is on its disk; the other where SQLITE_TMPDIR or TMPDIR of depotd says, or in /var/tmp."
        )
    }
    connection.forgetStatements()
    statistics.walBytes = connection.walPageCount * 4096
    statistics.isShortening = true
    return WriteReply(
      .members(["before": .int64(Int64(before)), "after": .int64(Int64(try size()))])
    )
  }

  private func size() throws(SQLiteError) -> Int {
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    return Int(pages * (try connection.integer("PRAGMA page_size") ?? 0))
  }

  /// Begins the log anew after ``compact(_:)``, once all of it is in the file, and cuts its file.
  ///
  /// Whoever still reads from the log keeps it as it is; then it is to be tried again.
  ///
  /// - Parameter size: The bytes that are left of the log's file.
  /// - Returns: Whether that was done.
  /// - Throws: ``SQLiteError`` if the commit fails.
  func shortenLog(to size: Int) throws(SQLiteError) -> Bool {
    guard home == nil else {
      // The next commit begins it anew, whoever makes it.
      statistics.isShortening = false
      return false
    }
    let before = connection.walPageCount
    // A commit is what begins it, and only pages that change are written.
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
    statistics.walBytes = connection.walPageCount * 4096
    statistics.isShortening = connection.walPageCount > before
    return !statistics.isShortening
  }
}
