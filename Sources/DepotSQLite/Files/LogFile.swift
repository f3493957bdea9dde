internal import CDepotSQLite
internal import DepotLinux
internal import Glibc

/// The write-ahead log of a database (sqlite.org/walformat.html).
///
/// A connection's writes are collected, and go to the file in one piece when its commit is complete. A
/// page that is read is compared with the checksum that it had when it was written, or when the log was
/// read at the start.
final class LogFile: OpenFile {
  static let headerSize = 32
  static let frameHeaderSize = 24
  /// How much a long transaction collects before it is written.
  private static let limit = 1 << 20

  /// Bytes that were written and aren't in the file yet, which only this connection knows.
  private var pending: [UInt8] = []
  private var pendingStart = 0
  /// The frame whose page completes a commit.
  private var commit: Int?
  /// The checksum that the chain has there.
  private var commitSum: UInt64 = 0
  /// How many commits aren't on disk yet.
  private var newCommits = 0
  /// Whether there was no room for a state that must be on disk; it goes there with the next commit.
  private var owesState = false
  /// The home of the database, which has each commit before anybody here sees it; `nil` if this is it.
  var home: (any CommitHome)?
  private let path: String
  /// Whether the file's name may not be on disk yet.
  private var isNew: Bool

  /// Opens a log; one that is missing where nothing can be written is empty.
  init(path: String, database: SharedDatabase, flags: Int32) throws(FileFailure) {
    self.path = path
    var descriptor: Descriptor?
    // SQLite would make one also for those who only read.
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
      // A full disk that a read reports would undo the statement alone, and not the writes of the others.
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
      // So SQLite reads all frames at the start, and proves them itself.
      let name = UnsafeRawBufferPointer(bytes).bigEndian(at: 0, as: UInt32.self)
      note(page: page, named: name, number)
    }
    return code
  }

  private func prove(_ page: UnsafeRawBufferPointer, _ number: Int) -> Int32 {
    guard let entry = database.frames?[number] else { return SQLITE_OK }
    if entry.sum == PageChecksum.value(of: page, number: entry.page) { return SQLITE_OK }
    database.didFindInLog(entry.page)
    return didFind(entry.page)
  }

  private func note(page: UnsafeRawBufferPointer, named name: UInt32, _ number: Int) {
    database.frames?[number] = FrameSums.Entry(
      page: name,
      sum: PageChecksum.value(of: page, number: name)
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
      // Nothing that comes before the header of a log is of use.
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
      // Frames behind a commit are of a transaction that was given up.
      pending.removeLast(pendingEnd - offset - bytes.count)
      let code = home.map { tell($0) } ?? SQLITE_OK
      guard code == SQLITE_OK else {
        giveUp()
        return code
      }
      let result = flush()
      guard home != nil, result != SQLITE_OK else { return result }
      // A commit that its home has can't be undone, for want of room here or for anything else.
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

  /// Writes the collected bytes.
  ///
  /// If that fails, they are dropped together with their transaction.
  private func flush() -> Int32 {
    guard !pending.isEmpty else { return SQLITE_OK }
    let code = pending.withUnsafeBytes { writeAll($0, at: pendingStart) }
    let failure = errno
    if code == SQLITE_OK {
      // The memory of a long transaction isn't kept.
      pending.removeAll(keepingCapacity: pending.count < Self.limit)
    } else {
      giveUp()
    }
    errno = failure
    return code
  }

  /// Drops the bytes that aren't in the file.
  private func giveUp() {
    // The state must not be told of a commit that isn't there.
    (newCommits, commit) = (0, nil)
    pending.removeAll()
  }

  // MARK: Copies of a database

  /// Reads a part of the log, including collected bytes that aren't in the file yet.
  func readLogged(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32 {
    guard !pending.isEmpty, offset >= pendingStart else { return readAll(bytes, at: offset) }
    let start = offset - pendingStart
    guard start + bytes.count <= pending.count else { return IOFailure.shortRead }
    pending.withUnsafeBytes {
      bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + bytes.count]))
    }
    return SQLITE_OK
  }

  /// Hands the commit that was collected over to the home.
  private func tell(_ home: any CommitHome) -> Int32 {
    guard let commit else { return SQLITE_OK }
    switch home.take(PageCommit(self, frames: database.index.frameCount..<commit + 1)) {
    case .taken: return SQLITE_OK
    case .refused: return IOFailure.refusal
    case .unknown: return IOFailure.write
    }
  }

  /// Adds frames of a commit that was made elsewhere, and begins the log anew if it is empty.
  func append(_ frames: UnsafeRawBufferPointer, at frame: Int) -> Int32 {
    writeAll(frames, at: Self.offset(ofPageIn: frame, database.pageSize) - Self.frameHeaderSize)
  }

  /// Begins the log anew with a header.
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

  /// Tells the state of commits that are on disk now.
  private func noteCommits() -> Int32 {
    guard newCommits > 0, let commit, let file = database.stateFile else { return SQLITE_OK }
    let (count, sum) = (newCommits, commitSum)
    newCommits = 0
    let now = Clocks.wallMilliseconds()
    // A log that has a commit can't be missed without that being known.
    let isFlushed = owesState || file.current.nextLog != 0
    let code = file.update(isFlushed: isFlushed) { state in
      state.didCommit(count, frames: UInt32(commit + 1), sum: sum, now: now)
    }
    // The commit itself is on disk, and can't be undone for want of room for the state.
    owesState = code == IOFailure.noRoom
    return owesState ? SQLITE_OK : code
  }

  override func truncate(to size: Int) -> Int32 {
    // The state on disk must say that the log isn't needed before it is gone.
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
