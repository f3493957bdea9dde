internal import DepotLinux
internal import DepotSQLite

/// An inspection of a write-ahead log without SQLite (sqlite.org/walformat.html).
///
/// SQLite reads a log up to the first frame with a wrong checksum. After a power failure during a
/// commit, the log ends there. But if a later commit follows, the disk has damaged flushed data:
/// every commit is flushed before the next begins, so at most one can be incomplete.
struct WALSurvey {
  /// The random number (salt) of the log; 0 if it has no valid header.
  private(set) var identity: UInt64 = 0
  /// The size of a page in bytes; `nil` if the log has no valid header.
  private(set) var pageSize: Int?
  /// The random number (salt) in its frames; 0 if it has none.
  private(set) var frameIdentity: UInt64 = 0
  /// The number of commits that SQLite finds in it.
  private(set) var commits = 0
  /// The number of frames up to the last of these commits.
  private(set) var frames = 0
  /// The running checksum after the last commit.
  private(set) var lastSum: UInt64 = 0
  /// The running checksum after the expected number of frames; `nil` if the log has fewer.
  private(set) var sum: UInt64?
  /// The number of commits at and after the damage; `nil` if there is none.
  var lostCommits: Int? { Self.lost(beyond) }
  /// The number of these commits after the expected number of frames; `nil` if there are none.
  var newLostCommits: Int? { Self.lost(newBeyond) }
  private var beyond = 0
  private var newBeyond = 0

  /// A single commit after the damage may be the one during which power failed.
  private static func lost(_ beyond: Int) -> Int? { beyond > 1 ? beyond : nil }
  /// The range of the last committed first page of the database; `nil` if the log doesn't have it.
  private(set) var firstPage: Range<Int>?

  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// Makes the result for a missing log.
  init() {}

  /// Reads a log; ``sum`` is computed after the expected number of frames.
  init(_ file: StoredFile, expecting expected: Int) throws(SystemError) {
    let size = try file.size()
    let header = try file.read(Self.headerSize, at: 0)
    guard header.count == Self.headerSize, header.contains(where: { $0 != 0 }) else { return }
    var chain = Chain(header)
    let frameSize = Self.frameHeaderSize + chain.pageSize
    var isIntact = chain.isHeaderIntact
    if isIntact { (identity, pageSize) = (header.number(at: 16), chain.pageSize) }
    var salts = isIntact ? Array(header[16..<24]) : []
    var offset = Self.headerSize
    var number = 0
    var newFirstPage: Range<Int>?
    while offset + frameSize <= size {
      let frame = try file.read(frameSize, at: offset)
      guard frame.count == frameSize else { break }
      if salts.isEmpty { salts = Array(frame[8..<16]) }
      if number == 0 { frameIdentity = frame.number(at: 8) }
      let isOfLog = frame[8..<16].elementsEqual(salts)
      if isIntact { isIntact = isOfLog && chain.accepts(frame) }
      let isCommit = frame.integer(at: 4) != 0
      number += 1
      if isIntact {
        if number == expected { sum = frame.number(at: 16) }
        if frame.integer(at: 0) == 1 {
          newFirstPage = offset + Self.frameHeaderSize..<offset + frameSize
        }
        if isCommit {
          (commits, frames, firstPage) = (commits + 1, number, newFirstPage)
          lastSum = frame.number(at: 16)
        }
      } else if isCommit, isOfLog {
        beyond += 1
        if number > expected { newBeyond += 1 }
      }
      offset += frameSize
    }
  }
}

extension [UInt8] {
  /// Reads a big-endian integer of eight bytes.
  fileprivate func number(at offset: Int) -> UInt64 {
    self[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// The running checksum of a log.
private struct Chain {
  let pageSize: Int
  /// Whether the log's header matches its checksum.
  let isHeaderIntact: Bool
  private let isBigEndian: Bool
  private var sum: LogChecksum

  init(_ header: [UInt8]) {
    let magic = header.integer(at: 0)
    isBigEndian = magic & 1 == 1
    let size = Int(header.integer(at: 8))
    let isUsable = 512...65536 ~= size && size.nonzeroBitCount == 1
    pageSize = isUsable ? size : 4096
    var sum = LogChecksum(0, 0)
    header[..<24].withUnsafeBytes { sum.add($0, isBigEndian: magic & 1 == 1) }
    isHeaderIntact =
      isUsable && magic & ~1 == 0x377F_0682 && Self.isSum(sum, in: header, at: 24)
    self.sum = sum
  }

  /// Adds a frame, and returns whether its checksum is right.
  mutating func accepts(_ frame: [UInt8]) -> Bool {
    guard frame.integer(at: 0) != 0 else { return false }
    frame[..<8].withUnsafeBytes { sum.add($0, isBigEndian: isBigEndian) }
    frame[24...].withUnsafeBytes { sum.add($0, isBigEndian: isBigEndian) }
    return Self.isSum(sum, in: frame, at: 16)
  }

  private static func isSum(_ sum: LogChecksum, in bytes: [UInt8], at offset: Int) -> Bool {
    Int64(sum.first) == bytes.integer(at: offset)
      && Int64(sum.second) == bytes.integer(at: offset + 4)
  }
}
