internal import CDepotSQLite

extension Connection {
  /// Reads all pages of the file, and returns the damaged ones.
  ///
  /// Pages that are in the write-ahead log are read from the log.
  package func damagedPages() throws(SQLiteError) -> [DamagedPage] {
    try beginReading()
    defer { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    guard let pages = try SnapshotPages(self) else { return [] }
    do {
      return try pages.damaged {}
    } catch {
      throw error as? SQLiteError ?? SQLiteError(code: SQLITE_ERROR, message: "\(error)")
    }
  }
}

extension SnapshotPages {
  /// Reads all pages, and returns the damaged ones.
  ///
  /// - Parameter check: A closure that is called repeatedly; an error that it throws ends the
  ///   reading.
  /// - Returns: The damaged pages.
  /// - Throws: The error of `check`, or ``SQLiteError`` if the pages can't be read.
  package func damaged(_ check: () throws -> Void) throws -> [DamagedPage] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
    defer { buffer.deallocate() }
    var damaged: [DamagedPage] = []
    for number in 1...max(1, UInt32(truncatingIfNeeded: count)) where count > 0 {
      if number % 64 == 0 { try check() }
      do throws(SQLiteError) {
        try read(number, into: buffer)
      } catch {
        guard let page = error.damage else { throw error }
        damaged.append(page)
      }
    }
    return damaged
  }
}
