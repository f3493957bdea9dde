internal import CDepotSQLite

/// The primary copy of a database, which receives each commit before it is visible in this copy.
package protocol CommitTarget: AnyObject {
  /// Stores a commit; called on the thread that makes it.
  func take(_ commit: consuming PageCommit) -> CommitDecision
}

/// The answer of the primary copy to a commit.
package enum CommitDecision: Sendable {
  case taken
  /// The primary hasn't stored the commit, and never will.
  case refused
  /// Whether the primary has stored the commit is unknown.
  case unknown
}

/// The pages of a commit that is complete but not visible yet.
///
/// It is valid until ``CommitTarget/take(_:)`` returns.
package struct PageCommit: ~Copyable {
  /// The approximate size of a part of the form in bytes.
  private static let partSize = 1 << 20

  private let log: WALFile
  private var frames: Range<Int>
  private let last: Int
  private let main: PageReader.Versions?
  private var new: [UInt8]
  private var old: [UInt8]
  /// The number of pages in the database after the commit.
  package let pageCount: UInt32

  init(_ log: WALFile, frames: Range<Int>) {
    self.log = log
    self.frames = frames
    last = frames.upperBound - 1
    main = PageReader.Versions(log.database, log: log)
    new = [UInt8](repeating: 0, count: log.database.logPageSize)
    old = new
    pageCount = Self.header(of: last, in: log)?.pageCount ?? 0
  }

  private static func header(of frame: Int, in log: WALFile) -> (page: UInt32, pageCount: UInt32)? {
    var header = [UInt8](repeating: 0, count: 8)
    let offset = WALFile.offset(ofPageIn: frame, log.database.logPageSize) - WALFile.frameHeaderSize
    let code = header.withUnsafeMutableBytes { log.readLogged($0, at: offset) }
    guard code == SQLITE_OK else { return nil }
    return header.withUnsafeBytes {
      ($0.bigEndian(at: 0, as: UInt32.self), $0.bigEndian(at: 4, as: UInt32.self))
    }
  }

  /// Appends the next part of the form that ``CommitReplay`` reads; returns `false` at the end.
  ///
  /// - Throws: ``SQLiteError`` if a page can't be read.
  package mutating func writePart(into bytes: inout [UInt8]) throws(SQLiteError) -> Bool {
    guard !frames.isEmpty else { return false }
    let start = bytes.count
    let lastPage = Self.header(of: last, in: log)?.page
    while bytes.count - start < Self.partSize, let frame = frames.first {
      frames.removeFirst()
      guard let number = Self.header(of: frame, in: log)?.page else { throw Self.unreadable }
      // The last page of the commit may have been written before in the same transaction.
      if frame != last, number == lastPage { continue }
      try write(number, inFrame: frame, into: &bytes)
    }
    return true
  }

  private mutating func write(
    _ number: UInt32,
    inFrame frame: Int,
    into bytes: inout [UInt8]
  ) throws(SQLiteError) {
    let offset = WALFile.offset(ofPageIn: frame, log.database.logPageSize)
    let isRead = new.withUnsafeMutableBytes { new in
      guard log.readLogged(new, at: offset) == SQLITE_OK else { return false }
      PageChange.normalize(new, number: number)
      return true
    }
    guard isRead, let main, main.read(number, into: &old) else { throw Self.unreadable }
    new.withUnsafeBytes { new in
      old.withUnsafeBytes { PageChange.write(number, from: $0, to: new, into: &bytes) }
    }
  }

  /// Returns the numbers of the pages in a part of the form.
  package static func pages(of part: UnsafeRawBufferPointer) -> [UInt32] {
    var pages: [UInt32] = []
    var place = 0
    while let head = PageChange.head(in: part, at: place) {
      pages.append(head.number)
      place = head.end
    }
    return pages
  }

  private static var unreadable: SQLiteError {
    SQLiteError(code: DamagedPage.result, message: "A page of the commit can't be read.")
  }
}

extension PageReader {
  /// The last committed pages of a database, normalized.
  struct Versions {
    let database: SharedDatabase
    private let log: WALFile
    private let index: WALIndex
    private let frameCount: Int
    /// The number of pages in the database.
    let pageCount: UInt32

    /// Reads through a database's file and log; `nil` if SQLite hasn't read the log yet.
    init?(_ database: SharedDatabase, log: WALFile) {
      guard let index = WALIndex(database.index), let header = index.header() else { return nil }
      self.database = database
      self.log = log
      self.index = index
      frameCount = header.frameCount
      var count = header.pageCount
      if header.frameCount == 0 {
        guard let size = database.mainSize, database.pageSize > 0 else { return nil }
        count = UInt32(truncatingIfNeeded: size / database.pageSize)
      }
      pageCount = count
    }

    /// Reads a page; one beyond the end of the database as zeros.
    ///
    /// - Returns: Whether it matches its checksum.
    func read(_ number: UInt32, into page: inout [UInt8]) -> Bool {
      let isThere = number <= pageCount
      return page.withUnsafeMutableBytes { page in
        guard isThere else {
          page.initializeMemory(as: UInt8.self, repeating: 0)
          return true
        }
        if let frame = index.frame(of: number, among: frameCount) {
          let offset = WALFile.offset(ofPageIn: frame - 1, page.count)
          guard log.readAll(page, at: offset) == SQLITE_OK else { return false }
        } else {
          guard database.readMain(page, number: number) else { return false }
        }
        PageChange.normalize(page, number: number)
        return true
      }
    }
  }
}
