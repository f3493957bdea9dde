internal import CDepotSQLite
internal import DepotLinux
internal import Glibc

/// The write-ahead log of a database (sqlite.org/walformat.html).
///
/// A connection's writes are buffered, and written to the file at once when their commit is
/// complete. A page that is read is compared with its checksum from when it was written, or from
/// when the log was read at the start.
final class WALFile: OpenFile {
  static let headerSize = 32
  static let frameHeaderSize = 24
  /// The size in bytes up to which a long transaction is buffered before it is written.
  private static let limit = 1 << 20

  /// Buffered bytes that aren't in the file yet, which only this connection sees.
  private var pending: [UInt8] = []
  private var pendingStart = 0
  /// The number of the frame that completes a commit.
  private var commit: Int?
  /// The log's running checksum at that frame.
  private var commitSum: UInt64 = 0
  /// The number of commits that aren't flushed to disk yet.
  private var newCommits = 0
  /// Whether the disk was too full to flush the state, so that the next commit must flush it.
  private var owesState = false
  /// The primary copy, which receives each commit before it is visible here; `nil` if this is it.
  var commitTarget: (any CommitTarget)?
  private let path: String
  /// Whether the file's entry in its folder may not be on disk yet.
  private var isNew: Bool

  /// Opens a log; a missing log of a read-only database counts as empty.
  init(path: String, database: SharedDatabase, flags: Int32) throws(FileFailure) {
    self.path = path
    var descriptor: Descriptor?
    // SQLite would create the file also for connections that only read.
    var isWritable = flags & SQLITE_OPEN_READWRITE != 0 && database.isWritable
    do throws(SystemError) {
      let mode: UInt32? = isWritable ? 0o600 : nil
      descriptor = try .open(file: path, isWritable: isWritable, creatingWithMode: mode)
    } catch {
      guard error.isReadOnly || error.isWantOfRoom || error.isMissingFile else {
        throw FileFailure(result: SQLITE_CANTOPEN, code: error.code)
      }
      isWritable = false
      do throws(SystemError) {
        descriptor = try .open(file: path, isWritable: false)
      } catch {
        guard error.isMissingFile else {
          throw FileFailure(result: SQLITE_CANTOPEN, code: error.code)
        }
      }
    }
    isNew = (try? descriptor?.fileSize()) == 0
    super.init(descriptor, isWritable: isWritable, database)
    if isNew, isWritable, let descriptor, let main = try? Descriptor.open(reading: database.path) {
      descriptor.adopt(ownerOf: main)
    }
  }

  /// The offset of the page in a frame, counted from 0.
  static func offset(ofPageIn frame: Int, _ pageSize: Int) -> Int {
    headerSize + frame * (frameHeaderSize + pageSize) + frameHeaderSize
  }

  private var pendingEnd: Int { pendingStart + pending.count }

  /// The number of the frame at an offset, counted from 0, and the offset inside it.
  private func frame(at offset: Int) -> (number: Int, inside: Int)? {
    let size = database.logPageSize
    guard size != 0, offset >= Self.headerSize else { return nil }
    let (number, inside) = (offset - Self.headerSize)
      .quotientAndRemainder(dividingBy: size + Self.frameHeaderSize)
    return (number, inside)
  }

  // MARK: Reading

  override func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32 {
    if !pending.isEmpty, offset < pendingEnd, offset + bytes.count > pendingStart {
      let code = flush()
      // If a read reported a full disk, SQLite would undo the statement but not the buffered writes
      // of others.
      guard code == SQLITE_OK else { return code == IOFailure.noRoom ? IOFailure.write : code }
    }
    let code = readAll(bytes, at: offset)
    guard code == SQLITE_OK else { return code }
    if offset == 0, bytes.count == Self.headerSize {
      noteHeader(UnsafeRawBufferPointer(bytes))
      return code
    }
    guard let (number, inside) = frame(at: offset) else { return code }
    let size = database.logPageSize
    if inside == Self.frameHeaderSize, bytes.count == size {
      return prove(UnsafeRawBufferPointer(bytes), number)
    }
    if inside == 0, bytes.count == Self.frameHeaderSize + size {
      let page = UnsafeRawBufferPointer(rebasing: bytes[Self.frameHeaderSize...])
      if database.frames?[number] != nil { return prove(page, number) }
      // SQLite reads all frames in this way at the start, and verifies them itself.
      let name = UnsafeRawBufferPointer(bytes).bigEndian(at: 0, as: UInt32.self)
      note(page: page, named: name, number)
    }
    return code
  }

  private func prove(_ page: UnsafeRawBufferPointer, _ number: Int) -> Int32 {
    guard let entry = database.frames?[number] else { return SQLITE_OK }
    if entry.sum == FrameSums.sum(of: page, number: entry.page) { return SQLITE_OK }
    database.didFindInLog(entry.page)
    return didFind(entry.page)
  }

  private func note(page: UnsafeRawBufferPointer, named name: UInt32, _ number: Int) {
    database.frames?[number] = FrameSums.Entry(
      page: name,
      sum: FrameSums.sum(of: page, number: name)
    )
  }

  private func noteHeader(_ bytes: UnsafeRawBufferPointer) {
    let size = Int(bytes.bigEndian(at: 8, as: UInt32.self))
    database.frames?.forget()
    database.didFindInLog(nil)
    database.logPageSize = 512...65536 ~= size && size.nonzeroBitCount == 1 ? size : 0
  }

  // MARK: Writing

  override func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
    var isComplete = false
    if offset == 0, bytes.count == Self.headerSize {
      noteHeader(bytes)
      // Buffered writes before a new header are obsolete.
      pending.removeAll()
      commit = nil
      let log = bytes.bigEndian(at: 16, as: UInt64.self)
      let code = inOrder(
        { self.database.stateFile?.update(isFlushed: true) { $0.nextLog = log } ?? SQLITE_OK },
        database.open
      )
      guard code == SQLITE_OK else { return code }
    } else if let (number, inside) = frame(at: offset) {
      if inside == 0, bytes.count == Self.frameHeaderSize {
        noteFrame(bytes, number)
      } else if inside == Self.frameHeaderSize, bytes.count == database.logPageSize {
        note(page: bytes, named: database.frames?[number]?.page ?? 0, number)
        isComplete = commit == number
      }
    }
    let code = collect(bytes, at: offset)
    guard code == SQLITE_OK, isComplete || pending.count >= Self.limit else { return code }
    if isComplete {
      // Frames after a commit belong to a transaction that was rolled back.
      pending.removeLast(pendingEnd - offset - bytes.count)
      let code = commitTarget.map { deliver($0) } ?? SQLITE_OK
      guard code == SQLITE_OK else {
        giveUp()
        return code
      }
      let result = flush()
      guard commitTarget != nil, result != SQLITE_OK else { return result }
      // The primary has the commit, so no failure here may undo it, not even a full disk.
      errno = EIO
      return IOFailure.write
    }
    return flush()
  }

  private func noteFrame(_ header: UnsafeRawBufferPointer, _ number: Int) {
    let name = header.bigEndian(at: 0, as: UInt32.self)
    let known = database.frames?[number]
    if known?.page != name { database.frames?[number] = FrameSums.Entry(page: name, sum: 0) }
    let isCommit = header.bigEndian(at: 4, as: UInt32.self) != 0
    guard isCommit else { return }
    if commit != number { newCommits += 1 }
    commit = number
    commitSum = header.bigEndian(at: 16, as: UInt64.self)
  }

  private func collect(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
    if pending.isEmpty { pendingStart = offset }
    if offset == pendingEnd {
      pending.append(contentsOf: bytes)
      return SQLITE_OK
    }
    if offset >= pendingStart, offset + bytes.count <= pendingEnd {
      let start = offset - pendingStart
      pending.withUnsafeMutableBytes { pending in
        UnsafeMutableRawBufferPointer(rebasing: pending[start..<start + bytes.count])
          .copyMemory(from: bytes)
      }
      return SQLITE_OK
    }
    let code = flush()
    guard code == SQLITE_OK else { return code }
    pendingStart = offset
    pending.append(contentsOf: bytes)
    return SQLITE_OK
  }

  /// Writes the buffered bytes.
  ///
  /// If that fails, they are discarded together with their transaction.
  private func flush() -> Int32 {
    guard !pending.isEmpty else { return SQLITE_OK }
    let code = pending.withUnsafeBytes { writeAll($0, at: pendingStart) }
    let failure = errno
    if code == SQLITE_OK {
      // The buffer of a long transaction is freed.
      pending.removeAll(keepingCapacity: pending.count < Self.limit)
    } else {
      giveUp()
    }
    errno = failure
    return code
  }

  /// Discards the buffered bytes.
  private func giveUp() {
    // The state file must not count a commit that isn't in the log.
    (newCommits, commit) = (0, nil)
    pending.removeAll()
  }

  // MARK: Copies of a database

  /// Reads a part of the log, including buffered bytes that aren't in the file yet.
  func readLogged(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32 {
    guard !pending.isEmpty, offset >= pendingStart else { return readAll(bytes, at: offset) }
    let start = offset - pendingStart
    guard start + bytes.count <= pending.count else { return IOFailure.shortRead }
    pending.withUnsafeBytes {
      bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + bytes.count]))
    }
    return SQLITE_OK
  }

  /// Sends the buffered commit to the primary copy.
  private func deliver(_ commitTarget: any CommitTarget) -> Int32 {
    guard let commit else { return SQLITE_OK }
    switch commitTarget.take(PageCommit(self, frames: database.index.frameCount..<commit + 1)) {
    case .taken: return SQLITE_OK
    case .refused: return IOFailure.refusal
    case .unknown: return IOFailure.write
    }
  }

  /// Writes frames of a commit from another copy, whose first one is frame number `frame`.
  func append(_ frames: UnsafeRawBufferPointer, at frame: Int) -> Int32 {
    writeAll(frames, at: Self.offset(ofPageIn: frame, database.pageSize) - Self.frameHeaderSize)
  }

  /// Restarts the log with a new header.
  func restart(_ header: UnsafeRawBufferPointer) -> Int32 {
    noteHeader(header)
    return writeAll(header, at: 0)
  }

  override func sync() -> Int32 {
    let code = flush()
    guard code == SQLITE_OK else { return code }
    guard let descriptor else { return SQLITE_OK }
    guard fdatasync(descriptor.number) == 0 else { return IOFailure.flush }
    if isNew {
      do throws(SystemError) {
        try FileSystem.flush(folderOf: path)
      } catch {
        errno = error.code
        return IOFailure.flushOfFolder
      }
      isNew = false
    }
    return noteCommits()
  }

  /// Records the commits that are now on disk in the state file.
  private func noteCommits() -> Int32 {
    guard newCommits > 0, let commit, let file = database.stateFile else { return SQLITE_OK }
    let (count, sum) = (newCommits, commitSum)
    newCommits = 0
    let now = Clocks.wallMilliseconds()
    // The first commit of a log flushes the state, so that a later loss of the log is noticed.
    let isFlushed = owesState || file.current.nextLog != 0
    let code = file.update(isFlushed: isFlushed) { state in
      state.didCommit(count, frames: UInt32(commit + 1), sum: sum, now: now)
    }
    // The commit itself is on disk, so a full disk must not undo it for its state.
    owesState = code == IOFailure.noRoom
    return owesState ? SQLITE_OK : code
  }

  override func truncate(to size: Int) -> Int32 {
    // The state on disk must say that the log isn't needed before the log is emptied.
    inOrder(
      flush,
      { self.database.stateFile?.flush() ?? SQLITE_OK },
      { super.truncate(to: size) }
    )
  }

  override func size(_ result: inout Int) -> Int32 {
    let code = super.size(&result)
    if !pending.isEmpty { result = max(result, pendingEnd) }
    return code
  }

  override func close() -> Int32 { flush() }
}
