internal import CDepotSQLite

/// Reads the last committed pages of a database without SQLite.
struct PageReader {
  let database: SharedDatabase
  /// The size of a page in bytes.
  let size: Int
  private let main: OpenFile
  private let log: OpenFile?

  /// Reads through the files of a connection; `nil` if its pages have no checksums.
  init?(_ connection: OpaquePointer?) {
    let files = DamagedPage.files(of: connection)
    guard let main = files.first(where: { $0.0 == .main })?.1, main.database.isSealed,
      main.database.pageSize >= 512
    else { return nil }
    self.main = main
    log = files.first { $0.0 == .log }?.1
    database = main.database
    size = database.pageSize
  }

  /// Whether a page holds the bytes that SQLite locks, so that it is never written.
  static func isNeverUsed(_ number: UInt32, size: Int) -> Bool {
    Int(number) == SharedDatabase.firstLockedByte / size + 1
  }

  /// Reads a page; `nil` if it doesn't match its checksum.
  func page(_ number: UInt32) -> [UInt8]? {
    guard number > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: size)
    let isIntact = bytes.withUnsafeMutableBytes { bytes in
      if log != nil, let frame = database.lastFrame(of: number) {
        return read(number, inFrame: frame, database.frames?[frame]?.sum, into: bytes)
      }
      return read(number, into: bytes)
    }
    return isIntact ? bytes : nil
  }

  /// Reads a page from the log, and returns whether it matches its checksum.
  func read(
    _ number: UInt32,
    inFrame frame: Int,
    _ sum: UInt64?,
    into bytes: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard let log else { return false }
    return log.readAll(bytes, at: WALFile.offset(ofPageIn: frame, size)) == SQLITE_OK
      && FrameSums.sum(of: UnsafeRawBufferPointer(bytes), number: number) == sum
  }

  /// Reads a page from the database file, and returns whether it matches its checksum.
  func read(_ number: UInt32, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
    main.readAll(bytes, at: Int(number - 1) * size) == SQLITE_OK
      && PageChecksum.isIntact(UnsafeRawBufferPointer(bytes), number: number)
  }
}
