internal import DepotLinux

/// A look at a write-ahead log for commits that SQLite would silently drop.
///
/// SQLite reads a log up to the first frame whose checksum is wrong. If power failed during a commit,
/// that is where the log ends. But if a later commit follows, the disk has damaged what it had
/// promised to keep: every commit is flushed before the next begins, so at most one is half there.
struct WALAutopsy {
  /// How many commits lie beyond the damage; `nil` if there is none.
  private(set) var lostCommits: Int?

  private static let headerSize = 32
  private static let frameHeaderSize = 24

  init(_ file: StoredFile) throws(SystemError) {
    let size = try file.size()
    let header = try file.read(Self.headerSize, at: 0)
    guard header.count == Self.headerSize, header.contains(where: { $0 != 0 }) else { return }
    var chain = Chain(header)
    let frameSize = Self.frameHeaderSize + chain.pageSize
    var isIntact = chain.isHeaderIntact
    var salts = isIntact ? Array(header[16..<24]) : []
    var commits = 0
    var offset = Self.headerSize
    while offset + frameSize <= size {
      let frame = try file.read(frameSize, at: offset)
      guard frame.count == frameSize else { break }
      if salts.isEmpty { salts = Array(frame[8..<16]) }
      if isIntact { isIntact = frame[8..<16].elementsEqual(salts) && chain.accepts(frame) }
      let isCommit = frame.integer(at: 4) != 0
      if !isIntact, isCommit, frame[8..<16].elementsEqual(salts) { commits += 1 }
      offset += frameSize
    }
    // The first of them may be the commit during which power failed.
    if commits > 1 { lostCommits = commits - 1 }
  }
}

/// The checksum that runs through a log.
private struct Chain {
  let pageSize: Int
  /// Whether the log's header is what was written.
  let isHeaderIntact: Bool
  private let isBigEndian: Bool
  private var first: UInt32 = 0
  private var second: UInt32 = 0

  init(_ header: [UInt8]) {
    let magic = header.integer(at: 0)
    isBigEndian = magic & 1 == 1
    let size = Int(header.integer(at: 8))
    let isUsable = 512...65536 ~= size && size.nonzeroBitCount == 1
    pageSize = isUsable ? size : 4096
    var sums: (UInt32, UInt32) = (0, 0)
    Self.add(header[0..<24], isBigEndian, &sums)
    let isWritten =
      Int64(sums.0) == header.integer(at: 24) && Int64(sums.1) == header.integer(at: 28)
    isHeaderIntact = isUsable && magic & ~1 == 0x377F_0682 && isWritten
    (first, second) = sums
  }

  /// Whether a frame continues the chain.
  mutating func accepts(_ frame: [UInt8]) -> Bool {
    guard frame.integer(at: 0) != 0 else { return false }
    var sums = (first, second)
    Self.add(frame[0..<8], isBigEndian, &sums)
    Self.add(frame[24...], isBigEndian, &sums)
    (first, second) = sums
    return Int64(first) == frame.integer(at: 16) && Int64(second) == frame.integer(at: 20)
  }

  private static func add(
    _ bytes: ArraySlice<UInt8>,
    _ isBigEndian: Bool,
    _ sums: inout (UInt32, UInt32)
  ) {
    bytes.withUnsafeBytes { bytes in
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        let left = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        let right = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        sums.0 = sums.0 &+ (isBigEndian ? left.bigEndian : left.littleEndian) &+ sums.1
        sums.1 = sums.1 &+ (isBigEndian ? right.bigEndian : right.littleEndian) &+ sums.0
      }
    }
  }
}
