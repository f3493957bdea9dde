internal import CDepotSQLite

/// A page whose content doesn't match its checksum.
package struct DamagedPage: Hashable, Sendable {
  /// Its number in the database, counted from 1.
  package var number: UInt32
  /// Whether it was read from the write-ahead log.
  package var isInLog: Bool
  /// The table or index that contains it; `nil` if that can't be determined.
  package var owner: PageOwner?

  /// The result code that reports damage to SQLite.
  static let result = IOFailure.data

  /// Returns the damaged page that made a connection's last statement fail.
  static func found(by database: OpaquePointer?) -> DamagedPage? {
    for (name, file) in files(of: database) {
      guard var page = file.takeDamage() else { continue }
      page.isInLog = name == .log
      page.owner = PageOwner.find(page.number, in: database)
      return page
    }
    return nil
  }

  enum File {
    case main
    case log
  }

  /// The files that a connection has open.
  static func files(of database: OpaquePointer?) -> [(File, OpenFile)] {
    [(File.main, SQLITE_FCNTL_FILE_POINTER), (.log, SQLITE_FCNTL_JOURNAL_POINTER)]
      .compactMap { name, operation in
        var slot: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(database, "main", operation, &slot) == SQLITE_OK,
          let file = OpenFileSlot.file(slot)
        else { return nil }
        return (name, file)
      }
  }
}
