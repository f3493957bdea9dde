internal import CDepotSQLite
internal import Glibc
internal import Synchronization

/// The pages of a database in the snapshot of one transaction.
///
/// They are read without SQLite, and verified by their checksums. A file with all of them is a
/// complete database without a log.
package final class SnapshotPages {
  /// The number of pages.
  package let count: Int
  /// The size of a page in bytes.
  package var size: Int { pages.size }
  private let connection: Connection
  private let mark: SnapshotMark
  private let pages: PageReader
  /// The frames of the log that are in the snapshot, by page number.
  private let frames: [UInt32: Frame]

  private struct Frame {
    var number: Int
    var sum: UInt64
  }

  /// Finds the pages of a connection's transaction, begun by ``Connection/beginReading()``.
  ///
  /// - Returns: `nil` if the pages have no checksums, as in formats before 5.
  /// - Throws: ``SQLiteError``.
  package init?(_ connection: Connection) throws(SQLiteError) {
    guard let mark = connection.mark, connection.isInTransaction else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "The transaction has no mark.")
    }
    guard let pages = PageReader(connection.handle) else { return nil }
    self.connection = connection
    self.mark = mark
    self.pages = pages
    count = Int(try connection.integer("PRAGMA page_count") ?? 0)
    frames = try Self.frames(pages.database, mark)
  }

  private static func frames(
    _ database: SharedDatabase,
    _ mark: SnapshotMark
  ) throws(SQLiteError) -> [UInt32: Frame] {
    var frames: [UInt32: Frame] = [:]
    var isComplete = true
    for number in 0..<mark.frameCount {
      guard let entry = database.frames?[number] else {
        isComplete = false
        continue
      }
      frames[entry.page] = Frame(number: number, sum: entry.sum)
    }
    // If the log was restarted since, all its frames had been copied to the file: otherwise the
    // transaction would have prevented the restart.
    guard database.index.mark.log == mark.log else { return [:] }
    guard isComplete else {
      throw SQLiteError(code: SQLITE_NOMEM, message: "The log's frames aren't known.")
    }
    return frames
  }

  /// Reads a page into `size` bytes, with its checksum at their end.
  ///
  /// - Throws: ``SQLiteError`` of the kind `damaged` if the page doesn't match its checksum.
  package func read(
    _ number: UInt32,
    into bytes: UnsafeMutableRawBufferPointer
  ) throws(SQLiteError) {
    if PageReader.isNeverUsed(number, size: size) {
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      return
    }
    guard isRead(number, into: bytes) else {
      var error = SQLiteError(code: DamagedPage.result, message: "A page is damaged.")
      error.damage = DamagedPage(
        number: number,
        isInLog: frames[number] != nil,
        owner: PageOwner.find(number, in: connection.handle)
      )
      throw error
    }
    if number == 1 {
      DatabaseHeader.setStamp(0, in: bytes)
      PageChecksum.seal(bytes, number: 1)
    }
  }

  private func isRead(_ number: UInt32, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
    if let frame = frames[number] {
      if pages.read(number, inFrame: frame.number, frame.sum, into: bytes) {
        PageChecksum.seal(bytes, number: number)
        return true
      }
      guard pages.database.index.mark.log != mark.log else { return false }
    }
    // A checkpoint copies only frames in the snapshot of each reader, so the page stays unchanged.
    let read = { [pages] in pages.read(number, into: bytes) }
    return number == 1 ? pages.database.firstPage.withLock { _ in read() } : read()
  }
}

@available(*, unavailable)
extension SnapshotPages: Sendable {}
