internal import CDepotSQLite
internal import DepotLinux
internal import Glibc
internal import Synchronization

/// The file of a database, whose pages end with their checksum.
///
/// A page is verified whenever it is read, and gets its checksum whenever it is written. A file
/// whose pages have no room for checksums, as SQLite itself makes them, is read and written
/// unchanged.
final class MainFile: OpenFile {
  /// The buffer where a page gets its checksum before it is written.
  private var page: [UInt8] = []
  private var sharedSlots = 0
  private var ownSlots = 0
  private var usesIndex = false
  private var hasChanges = false

  /// Opens a database's file.
  init(path: String, database: SharedDatabase, flags: Int32) throws(FileFailure) {
    let mayWrite = flags & SQLITE_OPEN_READWRITE != 0
    let mode: UInt32? = flags & SQLITE_OPEN_CREATE != 0 ? 0o600 : nil
    let descriptor: Descriptor
    var isWritable = mayWrite
    do throws(SystemError) {
      do throws(SystemError) {
        descriptor = try .open(file: path, isWritable: mayWrite, creatingWithMode: mode)
      } catch {
        guard mayWrite, error.isReadOnly else { throw error }
        descriptor = try .open(file: path, isWritable: false)
        isWritable = false
      }
    } catch {
      throw FileFailure(result: SQLITE_CANTOPEN, code: error.code)
    }
    super.init(descriptor, isWritable: isWritable, database)
    // Another connection may be writing the header just now.
    if database.pageSize == 0 { try readHeader() }
    guard isWritable else { return }
    do throws(SystemError) {
      try database.didOpenForWriting()
    } catch {
      throw FileFailure(result: SQLITE_CANTOPEN, code: error.code)
    }
  }

  /// Reads the page size and whether pages have checksums, unless the file is new.
  private func readHeader() throws(FileFailure) {
    var header = [UInt8](repeating: 0, count: DatabaseHeader.size)
    let code = header.withUnsafeMutableBytes { header in
      let code = readAll(header, at: 0)
      if code == SQLITE_OK { note(UnsafeRawBufferPointer(header)) }
      return code
    }
    guard code == SQLITE_OK || code == IOFailure.shortRead else {
      throw FileFailure(result: code, code: errno)
    }
  }

  /// Takes the page size and whether pages have checksums from the header.
  private func note(_ bytes: UnsafeRawBufferPointer) {
    guard let header = DatabaseHeader(bytes) else { return }
    database.stamp = header.stamp
    database.pageSize = header.pageSize
    database.isSealed = header.reservedSize == PageChecksum.size
  }

  override func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32 {
    let code = readAll(bytes, at: offset)
    guard database.isSealed, bytes.count == database.pageSize else { return code }
    let number = UInt32(truncatingIfNeeded: offset / bytes.count + 1)
    // SQLite reads missing pages at the end as empty; only a new file may have no first page.
    if code == IOFailure.shortRead, offset > 0 { return didFind(number) }
    guard code == SQLITE_OK else { return code }
    if PageChecksum.isIntact(UnsafeRawBufferPointer(bytes), number: number) { return SQLITE_OK }
    return number == 1 ? readFirstPage(bytes) : didFind(number)
  }

  /// Reads the first page again, in case it was being written during the first read.
  private func readFirstPage(_ bytes: UnsafeMutableRawBufferPointer) -> Int32 {
    database.firstPage.withLock { _ in
      let code = readAll(bytes, at: 0)
      guard code == SQLITE_OK else { return code }
      let isIntact = PageChecksum.isIntact(UnsafeRawBufferPointer(bytes), number: 1)
      return isIntact ? SQLITE_OK : didFind(1)
    }
  }

  override func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
    if offset == 0, bytes.count >= 512, let header = DatabaseHeader(bytes) {
      let isSealed = header.reservedSize == PageChecksum.size
      // Pages already written with checksums would lose their last bytes.
      if database.isSealed, !isSealed, database.pageSize != 0 {
        errno = EINVAL
        return IOFailure.write
      }
      database.pageSize = header.pageSize
      database.isSealed = isSealed
    } else if database.pageSize == 0, bytes.count >= 512 {
      database.pageSize = bytes.count
    }
    hasChanges = true
    guard database.isSealed, bytes.count == database.pageSize else {
      return writeAll(bytes, at: offset)
    }
    if page.count != bytes.count { page = [UInt8](repeating: 0, count: bytes.count) }
    return page.withUnsafeMutableBytes { copy in
      copy.copyMemory(from: bytes)
      // The new stamp is written only when the checkpoint is complete.
      if offset == 0 { DatabaseHeader.setStamp(database.stamp, in: copy) }
      PageChecksum.seal(copy, number: UInt32(truncatingIfNeeded: offset / bytes.count + 1))
      return writeAll(UnsafeRawBufferPointer(copy), at: offset)
    }
  }

  /// Truncates the file, as after a checkpoint of a database that has become smaller.
  override func truncate(to size: Int) -> Int32 {
    if let state = database.stateFile, database.isSealed, database.pageSize > 0 {
      // A file with fewer pages than in the state would be reported as truncated.
      let count = UInt32(truncatingIfNeeded: size / database.pageSize)
      if state.current.pageCount > count {
        let code = state.update(isFlushed: true) { $0.pageCount = count }
        guard code == SQLITE_OK else { return code }
      }
    }
    hasChanges = true
    // Without a first page, the file is new again, as after a rollback of its first commit.
    if size == 0 { (database.pageSize, database.isSealed) = (0, false) }
    return super.truncate(to: size)
  }

  // MARK: The stamp

  /// Flushes the file to disk at the end of a checkpoint.
  ///
  /// It also gets a new stamp, which distinguishes it from all its earlier copies.
  override func sync() -> Int32 {
    guard hasChanges, database.isSealed, let state = database.stateFile else { return super.sync() }
    return finishCheckpoint(state)
  }

  private func finishCheckpoint(_ state: StateFile) -> Int32 {
    var size = 0
    // The stamp must be in the state on disk before it is in the file.
    let code = inOrder(
      state.flush,
      { self.database.setStamp(state.current.nextStamp) },
      super.sync,
      { self.size(&size) }
    )
    guard code == SQLITE_OK else { return code }
    hasChanges = false
    let count = UInt32(truncatingIfNeeded: size / database.pageSize)
    return state.update { $0.didCheckpoint(pageCount: count) }
  }

  /// Marks the file's header as complete without a log, when the log is empty.
  func finish() -> Int32 {
    guard isWritable, database.isSealed, let state = database.stateFile else { return SQLITE_OK }
    let stamp = database.stamp
    if DurableState.isClosed(stamp), stamp == state.current.checkpoint.stamp { return SQLITE_OK }
    return inOrder(
      { state.update(isFlushed: true) { $0.willClose() } },
      { self.finishCheckpoint(state) }
    )
  }

  // MARK: Locks

  override func lock(_ level: Int32) -> Int32 { database.raise(self, to: level) }

  override func unlock(_ level: Int32) -> Int32 {
    database.lower(self, to: level)
    return SQLITE_OK
  }

  override var isReserved: Bool { database.isReserved }

  override func close() -> Int32 {
    database.lower(self, to: SQLITE_LOCK_NONE)
    unmapIndex()
    return SQLITE_OK
  }

  // MARK: The index of the log

  override func mapIndex(
    _ region: Int,
    _ size: Int,
    extends: Bool
  ) -> UnsafeMutableRawPointer? {
    if !usesIndex {
      database.index.join()
      usesIndex = true
    }
    return database.index.region(region, size: size, extends: extends)
  }

  override func lockIndex(_ slots: Range<Int>, _ flags: Int32) -> Int32 {
    let mask = (1 << slots.count - 1) << slots.lowerBound
    let isExclusive = flags & SQLITE_SHM_EXCLUSIVE != 0
    guard flags & SQLITE_SHM_LOCK != 0 else {
      // Only locks that this connection holds are released.
      let held = isExclusive ? ownSlots : sharedSlots
      for slot in slots where held & 1 << slot != 0 {
        database.index.unlock(slot..<slot + 1, exclusively: isExclusive)
      }
      if isExclusive { ownSlots &= ~mask } else { sharedSlots &= ~mask }
      return SQLITE_OK
    }
    if !isExclusive, sharedSlots & mask == mask { return SQLITE_OK }
    guard database.index.lock(slots, exclusively: isExclusive) else { return SQLITE_BUSY }
    if isExclusive { ownSlots |= mask } else { sharedSlots |= mask }
    return SQLITE_OK
  }

  override func unmapIndex() {
    guard usesIndex else { return }
    for kind in [SQLITE_SHM_EXCLUSIVE, SQLITE_SHM_SHARED] {
      _ = lockIndex(0..<Int(SQLITE_SHM_NLOCK), SQLITE_SHM_UNLOCK | kind)
    }
    usesIndex = false
    database.index.leave()
  }
}
