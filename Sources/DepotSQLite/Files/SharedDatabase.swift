internal import CDepotSQLite
internal import DepotLinux
internal import Glibc
internal import Synchronization

/// The state that the connections of this process share for one database.
///
/// While there is a connection, the process holds SQLite's exclusive lock on the file, so that no
/// other program can read, write, or checkpoint it.
final class SharedDatabase: Sendable {
  let path: String
  let index = SharedIndex()
  /// The checksums of the log's frames; `nil` if there is no memory for them.
  let frames = FrameSums()
  /// The owners of pages that were found damaged, by page number.
  let owners = Mutex<[UInt32: PageOwner]>([:])
  /// Held while the first page is written outside of a checkpoint, so that readers can wait for it.
  let firstPage = Mutex(())
  private let marked = Atomic<UInt32>(0)
  private let locks = Mutex(ConnectionLocks())
  /// The open file that holds the process's lock.
  private let holder = Mutex<Descriptor?>(nil)
  /// The state file; `nil` if there is none, as for copies.
  private let outside = Mutex<StateFile?>(nil)
  /// The size of a page in bytes; 0 until it is known.
  private let pages = Atomic(0)
  /// Whether pages end with their checksum.
  private let seals = Atomic(true)
  /// Whether a connection may write.
  private let writable = Atomic(false)
  /// The page size of the log in bytes; 0 until it is known.
  private let logged = Atomic(0)
  private let damagedInLog = Atomic<UInt32>(0)

  private struct Known { weak var database: SharedDatabase? }

  private static let all = Mutex<[String: Known]>([:])

  private init(_ path: String) { self.path = path }

  /// The first of the 512 bytes of the file that SQLite locks (sqlite.org/lockingv3.html).
  static let firstLockedByte = 0x4000_0000
  private static let lockBytes = firstLockedByte..<firstLockedByte + 512

  deinit { holder.withLock { $0?.unlock(Self.lockBytes) } }

  /// Returns the database at an absolute path.
  static func at(_ path: String) -> SharedDatabase {
    all.withLock { all in
      if let known = all[path]?.database { return known }
      all = all.filter { $0.value.database != nil }
      let database = SharedDatabase(path)
      all[path] = Known(database: database)
      return database
    }
  }

  // MARK: The stamp

  /// The stamp in the file's header.
  var stamp: UInt32 {
    get { marked.load(ordering: .relaxed) }
    set { marked.store(newValue, ordering: .relaxed) }
  }

  /// Writes a stamp into the file's header, outside of a checkpoint.
  ///
  /// - Returns: A result code of SQLite.
  func setStamp(_ new: UInt32) -> Int32 {
    guard stamp != new, let descriptor = holder.withLock({ $0 }) else { return SQLITE_OK }
    return firstPage.withLock { _ in
      let first = OpenFile(descriptor, isWritable: true, self)
      var page = [UInt8](repeating: 0, count: pageSize)
      return page.withUnsafeMutableBytes { page in
        let code = first.readAll(page, at: 0)
        guard code == SQLITE_OK else { return code }
        // A damaged page must not get a valid checksum.
        guard PageChecksum.isIntact(UnsafeRawBufferPointer(page), number: 1) else {
          return DamagedPage.result
        }
        DatabaseHeader.setStamp(new, in: page)
        PageChecksum.seal(page, number: 1)
        let result = first.writeAll(UnsafeRawBufferPointer(page), at: 0)
        if result == SQLITE_OK { stamp = new }
        return result
      }
    }
  }

  /// Marks the file's header as incomplete without its log from now on.
  ///
  /// The state must already be on disk.
  func open() -> Int32 {
    guard isSealed, let state = stateFile, DurableState.isClosed(stamp) else { return SQLITE_OK }
    guard let descriptor = holder.withLock({ $0 }) else { return SQLITE_OK }
    return inOrder(
      { self.setStamp(state.current.nextStamp) },
      OpenFile(descriptor, isWritable: true, self).sync,
      { state.update(isFlushed: true) { $0.didOpen() } }
    )
  }

  // MARK: Pages

  /// The size of a page in bytes; 0 until it is known.
  var pageSize: Int {
    get { pages.load(ordering: .relaxed) }
    set { pages.store(newValue, ordering: .relaxed) }
  }

  /// Whether pages end with their checksum, as in every new file.
  var isSealed: Bool {
    get { seals.load(ordering: .relaxed) }
    set { seals.store(newValue, ordering: .relaxed) }
  }

  /// Whether a connection may write.
  var isWritable: Bool { writable.load(ordering: .relaxed) }

  /// Records that a connection may write, after the header was read, and opens the state file.
  ///
  /// - Throws: ``SystemError`` if there is a state file that can't be read or written.
  func didOpenForWriting() throws(SystemError) {
    writable.store(true, ordering: .relaxed)
    try outside.withLock { (known: inout sending StateFile?) throws(SystemError) in
      guard known == nil, let file = try StateFile.open(beside: path) else { return }
      var state = file.current
      if state.didFind(stamp) {
        let code = file.update(isFlushed: true) { $0 = state }
        guard code == SQLITE_OK else { throw SystemError(call: "pwrite", code: errno) }
      }
      known = file
    }
  }

  /// The page found damaged in the log, where the next start stops reading it; `nil` for none.
  var damageOfLog: UInt32? {
    let page = damagedInLog.load(ordering: .relaxed)
    return page == 0 ? nil : page
  }

  func didFindInLog(_ page: UInt32?) { damagedInLog.store(page ?? 0, ordering: .relaxed) }

  /// The state file; `nil` if there is none, as for copies.
  var stateFile: StateFile? { outside.withLock { $0 } }

  /// The page size of the log in bytes; 0 until it is known.
  var logPageSize: Int {
    get { logged.load(ordering: .relaxed) }
    set { logged.store(newValue, ordering: .relaxed) }
  }

  /// Returns the last committed frame of a page in the log, counted from 0; `nil` if there is none.
  func lastFrame(of page: UInt32) -> Int? {
    var frame = index.frameCount
    while frame > 0 {
      frame -= 1
      if frames?[frame]?.page == page { return frame }
    }
    return nil
  }

  /// The size of the file in bytes; `nil` if no connection has it open.
  var mainSize: Int? { holder.withLock { try? $0?.fileSize() } }

  /// Reads a page from the database file, and returns whether it matches its checksum.
  func readMain(_ page: UnsafeMutableRawBufferPointer, number: UInt32) -> Bool {
    guard let descriptor = holder.withLock({ $0 }) else { return false }
    let main = OpenFile(descriptor, isWritable: false, self)
    return main.readAll(page, at: Int(number - 1) * page.count) == SQLITE_OK
      && PageChecksum.isIntact(UnsafeRawBufferPointer(page), number: number)
  }

  // MARK: Locks

  /// Raises the lock of a connection; the first lock also locks all other processes out.
  func raise(_ file: MainFile, to level: Int32) -> Int32 {
    let isAlone = holder.withLock { holder in
      if holder != nil { return true }
      guard let descriptor = file.descriptor else { return false }
      do throws(SystemError) {
        try descriptor.lock(Self.lockBytes, exclusively: file.isWritable)
        holder = descriptor
        return true
      } catch {
        return false
      }
    }
    guard isAlone else { return SQLITE_BUSY }
    let isFree = locks.withLock { $0.raise(ObjectIdentifier(file), to: level) }
    return isFree ? SQLITE_OK : SQLITE_BUSY
  }

  func lower(_ file: MainFile, to level: Int32) {
    locks.withLock { $0.lower(ObjectIdentifier(file), to: level) }
  }

  var isReserved: Bool { locks.withLock { $0.isReserved } }
}
