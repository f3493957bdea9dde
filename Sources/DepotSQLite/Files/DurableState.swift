/// The last known content of a store's files, kept outside of them.
///
/// It says which file and which log belong together, and how far each had come; so a file that is missing,
/// older, cut, or another's is noticed before it is read. It is written with every commit, after the commit
/// is on disk, so that it never says more than the files hold; it is flushed when a log is begun anew, and with
/// the first commit in it.
package struct DurableState: Equatable, Sendable {
  /// A checkpoint, after which the file held all commits.
  package struct Checkpoint: Equatable, Sendable {
    /// The random number that the file's header has since then; 0 if it had none.
    ///
    /// It is even if the file was closed then, so that it is complete by itself.
    package var stamp: UInt32
    /// How many commits there had been.
    package var commits: Int64
    /// When it was, in milliseconds since 1970.
    package var time: Int64

    package init(stamp: UInt32, commits: Int64, time: Int64) {
      (self.stamp, self.commits, self.time) = (stamp, commits, time)
    }
  }

  /// The last checkpoints, the newest first.
  package var checkpoints: [Checkpoint]
  /// The stamp that the file gets with the next checkpoint, and may have already.
  package var nextStamp: UInt32
  /// How many pages the file had at the last checkpoint.
  package var pageCount: UInt32 = 0
  /// The random number (salt) of the log; 0 if there was none.
  package var log: UInt64 = 0
  /// The random number (salt) of the log about to be begun; 0 if there is none.
  package var nextLog: UInt64 = 0
  /// How many frames the log had with the last commit, and how many of them the file has.
  package var frames: UInt32 = 0
  package var copiedFrames: UInt32 = 0
  /// The checksum that the log's chain had there.
  package var sum: UInt64 = 0
  /// How many commits there were, and when the last one was, in milliseconds since 1970.
  package var commits: Int64 = 0
  package var time: Int64 = 0

  /// Describes a store's file that is all there is.
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

  /// Whether it is of a store that is being made, or of one of before there were states.
  package var isNew: Bool { commits == 0 && checkpoint.stamp == 0 }

  /// Returns the stamp with which a first page is as it was written; `nil` if there is none.
  ///
  /// The page gets its stamp in its place, so that power may fail with the stamp of one moment and the checksum
  /// of another in it.
  package func stamp(ofTorn page: [UInt8]) -> UInt32? {
    [nextStamp, checkpoint.stamp].first { DatabaseHeader.isIntact(page, with: $0) }
  }

  /// Whether the file has everything, so that the log isn't needed.
  package var isCopied: Bool { copiedFrames == frames }

  /// Whether nothing was written since the file was closed.
  ///
  /// The file gets an odd stamp before a log is begun, so that ``nextLog`` has no commits then.
  package var isClosed: Bool { isCopied && Self.isClosed(checkpoint.stamp) }

  private static func makeStamp() -> UInt32 { UInt32.random(in: 1 ... .max) | 1 }

  /// Whether a file with this stamp is complete without a log.
  package static func isClosed(_ stamp: UInt32) -> Bool { stamp & 1 == 0 }

  /// Takes note that the file isn't complete without its log from now on, and has its next stamp.
  mutating func didOpen() {
    if !checkpoints.isEmpty { checkpoints[0].stamp = nextStamp }
    nextStamp = Self.makeStamp()
  }

  /// Takes note of the stamp that the file has, which is the next one if the process was killed while the file
  /// got it, or if another file took its place.
  ///
  /// - Returns: Whether that changes anything.
  mutating func didFind(_ stamp: UInt32) -> Bool {
    guard stamp == nextStamp else { return false }
    didOpen()
    return true
  }

  /// Takes note that the file is about to be closed.
  mutating func willClose() { nextStamp &= ~1 }

  /// Takes note that another file is about to take the place of the closed one.
  package mutating func willReplaceFile() {
    willClose()
    pageCount = 0
  }

  // MARK: Changes of the files

  /// Takes note of commits that are on disk now.
  mutating func didCommit(_ count: Int, frames: UInt32, sum: UInt64, now: Int64) {
    if nextLog != 0 { (log, nextLog, copiedFrames) = (nextLog, 0, 0) }
    (self.frames, self.sum) = (frames, sum)
    commits += Int64(count)
    time = now
  }

  /// Takes note that the file has everything, and is on disk.
  mutating func didCheckpoint(pageCount: UInt32) {
    copiedFrames = frames
    self.pageCount = pageCount
    let checkpoint = Checkpoint(stamp: nextStamp, commits: commits, time: time)
    checkpoints = Array(([checkpoint] + checkpoints).prefix(Self.checkpointLimit))
    nextStamp = Self.makeStamp()
  }

  // MARK: The form in the file

  /// How long the form is, in bytes.
  static let size = 512
  /// How far apart the two places in the file are: a disk that loses power may lose all that it was writing, be
  /// it a whole page of memory.
  package static let distance = 4096
  private static let checkpointLimit = 16
  private static let mark: UInt64 = 0x3120_4154_5320_5444

  /// Returns its form, with the number of times that it was written: of the two places, the one with the
  /// larger number counts.
  func bytes(serial: UInt64) -> [UInt8] {
    var words: [UInt64] = [
      Self.mark, serial, UInt64(nextStamp) | UInt64(pageCount) << 32, log, nextLog,
      UInt64(frames) | UInt64(copiedFrames) << 32, sum, UInt64(bitPattern: commits),
      UInt64(bitPattern: time), UInt64(checkpoints.count),
    ]
    for checkpoint in checkpoints {
      words += [
        UInt64(checkpoint.stamp), UInt64(bitPattern: checkpoint.commits),
        UInt64(bitPattern: checkpoint.time),
      ]
    }
    var bytes = [UInt8](repeating: 0, count: Self.size)
    bytes.withUnsafeMutableBytes { bytes in
      for (place, word) in words.enumerated() {
        bytes.storeBytes(of: word.littleEndian, toByteOffset: place * 8, as: UInt64.self)
      }
      PageChecksum.seal(bytes, number: 0)
    }
    return bytes
  }

  /// Reads one of the two places; `nil` if it isn't as it was written.
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
