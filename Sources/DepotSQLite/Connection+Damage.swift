internal import CDepotSQLite

extension Connection {
  /// Reads all pages of the file, and returns those that aren't as they were written.
  ///
  /// Pages that the write-ahead log has are read from there.
  package func damagedPages() throws(SQLiteError) -> [DamagedPage] {
    try execute("BEGIN")
    defer { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    // Only a read begins the transaction, so that the log stays as it is.
    _ = try integer("SELECT count(*) FROM sqlite_schema")
    let count = try integer("PRAGMA page_count") ?? 0
    guard let reader = PageReader(handle), count > 0 else { return [] }
    return (1...UInt32(truncatingIfNeeded: count)).compactMap { number in
      guard !PageReader.isNeverUsed(number, size: reader.size), reader.page(number) == nil else {
        return nil
      }
      return DamagedPage(
        number: number,
        isInLog: reader.isInLog(number),
        owner: PageOwner.find(number, in: handle)
      )
    }
  }
}
