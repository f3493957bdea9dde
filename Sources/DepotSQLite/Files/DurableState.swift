/// The last known state of a store's files, kept in a file beside them.
///
/// It says which database file and which log belong together, and how much each contained, so that
/// a missing, older, truncated, or wrong file is noticed before it is read. It is written with
/// every commit, after the commit is on disk, so that it never claims more than the files hold. It
/// is flushed to disk when a log is restarted, and with the log's first commit.
/// the first commit in it.
package struct DurableState: Equatable, Sendable {
  /// A checkpoint, after which the database file held all commits.
  package struct Checkpoint: Equatable, Sendable {
    /// The random number in the file's header since then; 0 if it had none.
    ///
    /// It is even if the file was closed then, and so is complete without a log.
    package var stamp: UInt32
    /// The number of commits so far.
    package var commits: Int64
    /// The time of the checkpoint, in milliseconds since 1970.
    package var time: Int64

    package init(stamp: UInt32, commits: Int64, time: Int64) {
      (self.stamp, self.commits, self.time) = (stamp, commits, time)
    }
  }

  /// The last checkpoints, newest first.
  package var checkpoints: [Checkpoint]
  /// The stamp that the file gets with the next checkpoint, and may already have.
  package var nextStamp: UInt32
  /// The number of pages in the file at the last checkpoint.
  package var pageCount: UInt32 = 0
  /// The random number (salt) of the log; 0 if there was no log.
  package var log: UInt64 = 0
  /// The random number (salt) of the log that is about to be started; 0 if there is none.
  package var nextLog: UInt64 = 0
  /// The number of frames in the log at the last commit, and of those copied to the file.
  package var frames: UInt32 = 0
  package var copiedFrames: UInt32 = 0
  /// The log's running checksum at the last commit.
  package var sum: UInt64 = 0
  /// The number of commits, and the time of the last one in milliseconds since 1970.
  package var commits: Int64 = 0
  package var time: Int64 = 0

  /// Makes the state of a store that consists of its database file only.
  ///
  /// - Parameters:
  ///   - stamp: The stamp in its header.
  ///   - now: The time, in milliseconds since 1970.
  package init(stamp: UInt32, now: Int64) {
    checkpoints = [Checkpoint(stamp: stamp, commits: 0, time: now)]
    nextStamp = Self.makeStamp()
    time = now
  }

  /// The last checkpoint.
  package var checkpoint: Checkpoint {
    checkpoints.first ?? Checkpoint(stamp: 0, commits: 0, time: 0)
  }

  /// Whether it belongs to a store that is being made, or that is older than state files.
  package var isNew: Bool { commits == 0 && checkpoint.stamp == 0 }

  /// Returns the stamp that makes a first page match its checksum; `nil` if there is none.
  ///
  /// The stamp is written in place, so after a power failure the page can have the stamp of one
  /// version and the checksum of another.
  package func stamp(ofTorn page: [UInt8]) -> UInt32? {
    [nextStamp, checkpoint.stamp].first { DatabaseHeader.isIntact(page, with: $0) }
  }

  /// Whether the database file has all commits, so that the log isn't needed.
  package var isCopied: Bool { copiedFrames == frames }

  /// Whether nothing was written since the file was closed.
  ///
  /// The file gets an odd stamp before a log is started, so a log named by ``nextLog`` has no
  /// commits while the stamp is even.
  package var isClosed: Bool { isCopied && Self.isClosed(checkpoint.stamp) }

  private static func makeStamp() -> UInt32 { UInt32.random(in: 1 ... .max) | 1 }

  /// Whether a file with this stamp is complete without a log.
  package static func isClosed(_ stamp: UInt32) -> Bool { stamp & 1 == 0 }

  /// Records that the file has its next stamp, and from now on is incomplete without its log.
  mutating func didOpen() {
    if !checkpoints.isEmpty { checkpoints[0].stamp = nextStamp }
    nextStamp = Self.makeStamp()
  }

  /// Records the stamp found in the file.
  ///
  /// It is the next stamp if the process was killed while writing it, or if another file has
  /// replaced the closed one.
  ///
  /// - Returns: Whether the state changes.
  mutating func didFind(_ stamp: UInt32) -> Bool {
    guard stamp == nextStamp else { return false }
    didOpen()
    return true
  }

  /// Records that the file is about to be closed.
  mutating func willClose() { nextStamp &= ~1 }

  /// Records that another file is about to replace the closed one.
  package mutating func willReplaceFile() {
    willClose()
    pageCount = 0
  }

  // MARK: Changes of the files

  /// Records commits that are now on disk.
  mutating func didCommit(_ count: Int, frames: UInt32, sum: UInt64, now: Int64) {
    if nextLog != 0 { (log, nextLog, copiedFrames) = (nextLog, 0, 0) }
    (self.frames, self.sum) = (frames, sum)
    commits += Int64(count)
    time = now
  }

  /// Records that all commits are in the database file and on disk.
  mutating func didCheckpoint(pageCount: UInt32) {
    copiedFrames = frames
    self.pageCount = pageCount
    let checkpoint = Checkpoint(stamp: nextStamp, commits: commits, time: time)
    checkpoints = Array(([checkpoint] + checkpoints).prefix(Self.checkpointLimit))
    nextStamp = Self.makeStamp()
  }

  // MARK: The form in the file

  /// The size of the encoded state in bytes.
  static let size = 512
  /// The distance of the two copies in the file.
  ///
  /// A power failure can destroy everything that a disk was writing, up to a whole memory page.
  package static let distance = 4096
  private static let checkpointLimit = 16
  private static let mark: UInt64 = 0x3120_4154_5320_5444

  /// Returns the encoded state with a serial number; of the two copies, the larger number is valid.
  func bytes(serial: UInt64) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.size)
    bytes.withUnsafeMutableBytes { bytes in
      var place = 0
      func add(_ word: UInt64) {
        bytes.storeBytes(of: word.littleEndian, toByteOffset: place, as: UInt64.self)
        place += 8
      }
      add(Self.mark)
      add(serial)
      add(UInt64(nextStamp) | UInt64(pageCount) << 32)
      add(log)
      add(nextLog)
      add(UInt64(frames) | UInt64(copiedFrames) << 32)
      add(sum)
      add(UInt64(bitPattern: commits))
      add(UInt64(bitPattern: time))
      add(UInt64(checkpoints.count))
      for checkpoint in checkpoints {
        add(UInt64(checkpoint.stamp))
        add(UInt64(bitPattern: checkpoint.commits))
        add(UInt64(bitPattern: checkpoint.time))
      }
      PageChecksum.seal(bytes, number: 0)
    }
    return bytes
  }

  /// Decodes one of the two copies; `nil` if its checksum is wrong.
  private static func read(_ bytes: ArraySlice<UInt8>) -> (serial: UInt64, state: DurableState)? {
    guard bytes.count == size else { return nil }
    let words: [UInt64]? = Array(bytes).withUnsafeBytes { bytes in
      guard PageChecksum.isIntact(bytes, number: 0) else { return nil }
      return (0..<size / 8).map {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
      }
    }
    guard let words, words[0] == mark, words[9] <= checkpointLimit else { return nil }
    var state = DurableState(stamp: 0, now: Int64(bitPattern: words[8]))
    state.nextStamp = UInt32(truncatingIfNeeded: words[2])
    state.pageCount = UInt32(truncatingIfNeeded: words[2] >> 32)
    (state.log, state.nextLog) = (words[3], words[4])
    state.frames = UInt32(truncatingIfNeeded: words[5])
    state.copiedFrames = UInt32(truncatingIfNeeded: words[5] >> 32)
    state.sum = words[6]
    state.commits = Int64(bitPattern: words[7])
    state.checkpoints = (0..<Int(words[9])).map { number in
      Checkpoint(
        stamp: UInt32(truncatingIfNeeded: words[10 + number * 3]),
        commits: Int64(bitPattern: words[11 + number * 3]),
        time: Int64(bitPattern: words[12 + number * 3])
      )
    }
    return (words[1], state)
  }

  /// Reads the newest state in a file; `nil` if both of its copies are damaged.
  static func newest(in bytes: [UInt8]) -> (serial: UInt64, state: DurableState)? {
    [bytes.prefix(size), bytes.dropFirst(distance).prefix(size)].compactMap { read($0) }
      .max { $0.serial < $1.serial }
  }
}
