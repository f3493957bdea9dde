internal import CDepotSQLite
internal import DepotLinux

/// Applies a commit of another copy of the database to this copy's write-ahead log.
///
/// Use it on the thread of the copy's writing connection while that connection is idle. Nothing is
/// visible to readers before ``finish(pageCount:)``.
package final class CommitReplay {
  private static let slotsOfReaders = 4..<8

  private let connection: Connection
  private let log: WALFile
  private let database: SharedDatabase
  private let index: WALIndex
  private let pages: PageReader.Versions
  private var header: WALIndex.Header
  private let firstFrame: Int
  private var last: (page: UInt32, sum: LogChecksum)?
  private var page: [UInt8]

  /// Begins to replay a commit.
  ///
  /// - Throws: ``SQLiteError`` if the connection has no log, or is in a transaction.
  package init(on connection: Connection) throws(SQLiteError) {
    let log = DamagedPage.files(of: connection.handle).first { $0.0 == .log }?.1 as? WALFile
    guard let log, !connection.isInTransaction, let index = WALIndex(log.database.index),
      var header = index.header()
    else { throw SQLiteError(code: SQLITE_MISUSE, message: "The connection has no log.") }
    if header.frameCount == 0 || index.copiedFrames == header.frameCount {
      try Self.restart(log, index, &header)
    }
    guard let pages = PageReader.Versions(log.database, log: log) else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "The connection has no file.")
    }
    self.connection = connection
    self.log = log
    database = log.database
    self.index = index
    self.pages = pages
    self.header = header
    firstFrame = header.frameCount
    page = [UInt8](repeating: 0, count: database.pageSize)
  }

  /// Restarts the log from its beginning if no reader uses it; an empty log has no readers.
  private static func restart(
    _ log: WALFile,
    _ index: WALIndex,
    _ header: inout WALIndex.Header
  ) throws(SQLiteError) {
    let database = log.database
    guard database.index.lock(slotsOfReaders, exclusively: true) else { return }
    defer { database.index.unlock(slotsOfReaders, exclusively: true) }
    let isBigEndian = UInt32(1).bigEndian == 1
    header.isBigEndian = isBigEndian
    header.pageSize = database.pageSize
    header.frameCount = 0
    header.salts = (UInt32(bigEndian: header.salts.0 &+ 1).bigEndian, UInt32.random(in: 0 ... .max))
    var bytes = [UInt8](repeating: 0, count: WALFile.headerSize)
    let code = bytes.withUnsafeMutableBytes { bytes in
      let words: [UInt32] = [
        isBigEndian ? 0x377f_0683 : 0x377f_0682, 3_007_000, UInt32(database.pageSize), 0,
      ]
      for (place, word) in words.enumerated() {
        bytes.storeBytes(of: word.bigEndian, toByteOffset: place * 4, as: UInt32.self)
      }
      bytes.storeBytes(of: header.salts.0, toByteOffset: 16, as: UInt32.self)
      bytes.storeBytes(of: header.salts.1, toByteOffset: 20, as: UInt32.self)
      var sum = LogChecksum(0, 0)
      sum.add(UnsafeRawBufferPointer(rebasing: bytes[..<24]), isBigEndian: isBigEndian)
      header.sum = sum
      bytes.storeBytes(of: sum.first.bigEndian, toByteOffset: 24, as: UInt32.self)
      bytes.storeBytes(of: sum.second.bigEndian, toByteOffset: 28, as: UInt32.self)
      return log.restart(UnsafeRawBufferPointer(bytes))
    }
    guard code == SQLITE_OK else { throw failure(code) }
    index.forgetReaders()
    index.publish(header)
  }

  private static func failure(
    _ code: Int32,
    _ message: String = "The log can't be written."
  ) -> SQLiteError {
    SQLiteError(code: code, message: message)
  }

  /// Adds a part of the commit in the form that ``PageCommit`` writes.
  ///
  /// - Throws: ``SQLiteError`` of the kind `broken` if the part isn't of this copy's next commit,
  ///   or if the log can't be written.
  package func add(_ part: UnsafeRawBufferPointer) throws(SQLiteError) {
    var frames: [UInt8] = []
    let first = header.frameCount
    var place = 0
    while place < part.count {
      guard let head = PageChange.head(in: part, at: place) else { throw Self.foreign }
      let runs = UnsafeRawBufferPointer(rebasing: part[place + PageChange.headerSize..<head.end])
      guard pages.read(head.number, into: &page) else { throw Self.foreign }
      let isSound = page.withUnsafeMutableBytes { page in
        PageChange.apply(runs, to: page)
          && PageChecksum.value(of: UnsafeRawBufferPointer(page), number: head.number) == head.sum
      }
      guard isSound else { throw Self.foreign }
      append(head.number, to: &frames)
      place = head.end
    }
    let code = frames.withUnsafeBytes { log.append($0, at: first) }
    guard code == SQLITE_OK else { throw Self.failure(code) }
  }

  private static var foreign: SQLiteError {
    failure(SQLITE_CORRUPT, "A commit of the cluster doesn't fit this copy.")
  }

  /// Appends a frame with the current page, without the mark that ends a commit.
  private func append(_ number: UInt32, to frames: inout [UInt8]) {
    last = (number, header.sum)
    let start = frames.count
    frames.append(contentsOf: repeatElement(0, count: WALFile.frameHeaderSize))
    frames.append(contentsOf: page)
    frames.withUnsafeMutableBytes { frames in
      let frame = UnsafeMutableRawBufferPointer(rebasing: frames[start...])
      Self.seal(frame, number, pageCount: 0, &header)
    }
    note(number)
  }

  /// Writes the header of a frame, and continues the chain of checksums.
  private static func seal(
    _ frame: UnsafeMutableRawBufferPointer,
    _ number: UInt32,
    pageCount: UInt32,
    _ header: inout WALIndex.Header
  ) {
    frame.storeBytes(of: number.bigEndian, as: UInt32.self)
    frame.storeBytes(of: pageCount.bigEndian, toByteOffset: 4, as: UInt32.self)
    frame.storeBytes(of: header.salts.0, toByteOffset: 8, as: UInt32.self)
    frame.storeBytes(of: header.salts.1, toByteOffset: 12, as: UInt32.self)
    let bytes = UnsafeRawBufferPointer(frame)
    header.sum.add(.init(rebasing: bytes[..<8]), isBigEndian: header.isBigEndian)
    header.sum.add(.init(rebasing: bytes[24...]), isBigEndian: header.isBigEndian)
    frame.storeBytes(of: header.sum.first.bigEndian, toByteOffset: 16, as: UInt32.self)
    frame.storeBytes(of: header.sum.second.bigEndian, toByteOffset: 20, as: UInt32.self)
  }

  private func note(_ number: UInt32) {
    let sum = page.withUnsafeBytes { FrameSums.sum(of: $0, number: number) }
    database.frames?[header.frameCount] = FrameSums.Entry(page: number, sum: sum)
    header.frameCount += 1
  }

  /// Makes the commit visible, after which the database has `pageCount` pages.
  ///
  /// - Throws: ``SQLiteError`` if the log can't be written.
  package func finish(pageCount: UInt32) throws(SQLiteError) {
    guard let last else { return }
    // The last frame marks the end of the commit: its header has the count of pages.
    header.sum = last.sum
    var frame = [UInt8](repeating: 0, count: WALFile.frameHeaderSize) + page
    frame.withUnsafeMutableBytes { Self.seal($0, last.page, pageCount: pageCount, &header) }
    let code = frame.withUnsafeBytes { log.append($0, at: header.frameCount - 1) }
    guard code == SQLITE_OK else { throw Self.failure(code) }
    let writers = 0..<1
    guard database.index.lock(writers, exclusively: true) else {
      throw Self.failure(SQLITE_BUSY, "The copy is being written.")
    }
    defer { database.index.unlock(writers, exclusively: true) }
    for number in firstFrame..<header.frameCount {
      guard index.add(number + 1, page: database.frames?[number]?.page ?? 0) else {
        throw Self.failure(SQLITE_NOMEM, "There is no memory for the index of the log.")
      }
    }
    header.pageCount = pageCount
    header.change &+= 1
    index.publish(header)
    connection.walPageCount = header.frameCount
  }
}

extension Connection {
  /// Sets the primary copy that must store each commit before it is visible here; `nil` for none.
  package func setCommitTarget(_ commitTarget: (any CommitTarget)?) {
    let log = DamagedPage.files(of: handle).first { $0.0 == .log }?.1 as? WALFile
    log?.commitTarget = commitTarget
  }
}

@available(*, unavailable)
extension CommitReplay: Sendable {}
