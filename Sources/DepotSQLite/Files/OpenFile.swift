internal import CDepotSQLite
internal import DepotLinux
internal import Glibc
internal import Synchronization

/// A file of a database that one connection has open.
///
/// All methods return result codes of SQLite, and set `errno` on failure.
class OpenFile {
  /// The open file; `nil` if it doesn't exist and can't be made, and so counts as empty.
  let descriptor: Descriptor?
  let isWritable: Bool
  let database: SharedDatabase

  /// The page last found damaged, until ``takeDamage()`` is called.
  private var damage: DamagedPage?

  init(_ descriptor: Descriptor?, isWritable: Bool, _ database: SharedDatabase) {
    self.descriptor = descriptor
    self.isWritable = isWritable
    self.database = database
  }

  func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32 {
    readAll(bytes, at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
    writeAll(bytes, at: offset)
  }

  func truncate(to size: Int) -> Int32 {
    guard let descriptor else { return SQLITE_READONLY }
    return ftruncate(descriptor.number, size) == 0 ? SQLITE_OK : IOFailure.truncate
  }

  func sync() -> Int32 {
    guard let descriptor else { return SQLITE_OK }
    return fdatasync(descriptor.number) == 0 ? SQLITE_OK : IOFailure.flush
  }

  func size(_ result: inout Int) -> Int32 {
    guard let descriptor else { return SQLITE_OK }
    do throws(SystemError) {
      result = try descriptor.fileSize()
      return SQLITE_OK
    } catch {
      errno = error.code
      return IOFailure.size
    }
  }

  /// Finishes pending work before the file is closed.
  func close() -> Int32 { SQLITE_OK }

  /// Notes a damaged page, and returns the result code for SQLite.
  final func didFind(_ page: UInt32) -> Int32 {
    damage = DamagedPage(number: page, isInLog: false)
    errno = 0
    return DamagedPage.result
  }

  /// Returns the page found damaged since the last call.
  final func takeDamage() -> DamagedPage? {
    defer { damage = nil }
    return damage
  }

  // MARK: Locks and memory, which only databases have

  func lock(_ level: Int32) -> Int32 { SQLITE_OK }

  func unlock(_ level: Int32) -> Int32 { SQLITE_OK }

  var isReserved: Bool { false }

  func mapIndex(_ region: Int, _ size: Int, extends: Bool) -> UnsafeMutableRawPointer? { nil }

  func lockIndex(_ slots: Range<Int>, _ flags: Int32) -> Int32 { SQLITE_OK }

  func unmapIndex() {}

  // MARK: System calls

  /// Reads as SQLite requires: bytes beyond the end are zeros.
  final func readAll(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32 {
    var done = 0
    while let descriptor, done < bytes.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
      let count = pread(descriptor.number, rest.baseAddress, rest.count, offset + done)
      if count < 0 {
        if errno == EINTR { continue }
        return IOFailure.read
      }
      if count == 0 { break }
      done += count
    }
    if done == bytes.count { return SQLITE_OK }
    errno = 0
    UnsafeMutableRawBufferPointer(rebasing: bytes[done...]).initializeMemory(
      as: UInt8.self,
      repeating: 0
    )
    return IOFailure.shortRead
  }

  final func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
    guard let descriptor else { return SQLITE_READONLY }
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = pwrite(descriptor.number, rest.baseAddress, rest.count, offset + done)
      if count < 0 {
        if errno == EINTR { continue }
        return errno == ENOSPC ? IOFailure.noRoom : IOFailure.write
      }
      done += count
    }
    return SQLITE_OK
  }
}

/// Runs steps in order until one fails.
///
/// - Returns: The result code of the last step that ran.
func inOrder(_ steps: (() -> Int32)...) -> Int32 {
  for step in steps {
    let code = step()
    guard code == SQLITE_OK else { return code }
  }
  return SQLITE_OK
}

/// The memory that SQLite allocates for an open file.
struct OpenFileSlot {
  private var base: sqlite3_file
  private var file: UnsafeMutableRawPointer

  /// Stores a file in the memory, where it stays until SQLite closes it.
  static func fill(_ slot: UnsafeMutablePointer<sqlite3_file>, with file: OpenFile) {
    UnsafeMutableRawPointer(slot).initializeMemory(
      as: OpenFileSlot.self,
      to: OpenFileSlot(
        base: sqlite3_file(pMethods: FileMethods.table.pointer),
        file: Unmanaged.passRetained(file).toOpaque()
      )
    )
  }

  /// Returns the file stored in the memory; `nil` if it is one of SQLite's own.
  static func file(_ slot: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile? {
    unmanaged(slot)?.takeUnretainedValue()
  }

  static func unmanaged(_ slot: UnsafeMutablePointer<sqlite3_file>?) -> Unmanaged<OpenFile>? {
    guard let slot, slot.pointee.pMethods == FileMethods.table.pointer else { return nil }
    let filled = UnsafeMutableRawPointer(slot).assumingMemoryBound(to: OpenFileSlot.self)
    return Unmanaged.fromOpaque(filled.pointee.file)
  }
}

/// The functions by which SQLite uses an open file (sqlite.org/c3ref/io_methods.html).
enum FileMethods {
  static let table = FunctionTable(functions)

  private static var functions: sqlite3_io_methods {
    var methods = sqlite3_io_methods()
    methods.iVersion = 2
    methods.xClose = { slot in
      guard let file = OpenFileSlot.unmanaged(slot) else { return SQLITE_OK }
      let result = file.takeUnretainedValue().close()
      file.release()
      return result
    }
    methods.xRead = { slot, bytes, count, offset in
      let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
      return OpenFileSlot.file(slot)?.read(buffer, at: Int(offset)) ?? IOFailure.read
    }
    methods.xWrite = { slot, bytes, count, offset in
      let buffer = UnsafeRawBufferPointer(start: bytes, count: Int(count))
      return OpenFileSlot.file(slot)?.write(buffer, at: Int(offset)) ?? IOFailure.write
    }
    methods.xTruncate = { slot, size in
      OpenFileSlot.file(slot)?.truncate(to: Int(size)) ?? IOFailure.truncate
    }
    methods.xSync = { slot, _ in OpenFileSlot.file(slot)?.sync() ?? IOFailure.flush }
    methods.xFileSize = { slot, result in
      var size = 0
      let code = OpenFileSlot.file(slot)?.size(&size) ?? IOFailure.size
      result?.pointee = Int64(size)
      return code
    }
    methods.xLock = { slot, level in OpenFileSlot.file(slot)?.lock(level) ?? IOFailure.lock }
    methods.xUnlock = { slot, level in
      OpenFileSlot.file(slot)?.unlock(level) ?? IOFailure.unlock
    }
    methods.xCheckReservedLock = { slot, result in
      result?.pointee = OpenFileSlot.file(slot)?.isReserved == true ? 1 : 0
      return SQLITE_OK
    }
    methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.xSectorSize = { _ in 4096 }
    // A write that a power failure cuts off changes no bytes outside its range.
    methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    methods.xShmMap = { slot, region, size, extends, result in
      let memory = OpenFileSlot.file(slot)?.mapIndex(Int(region), Int(size), extends: extends != 0)
      result?.pointee = memory
      return memory == nil && extends != 0 ? SQLITE_NOMEM : SQLITE_OK
    }
    methods.xShmLock = { slot, first, count, flags in
      let slots = Int(first)..<Int(first + count)
      return OpenFileSlot.file(slot)?.lockIndex(slots, flags) ?? IOFailure.lockOfIndex
    }
    methods.xShmBarrier = { _ in atomicMemoryFence(ordering: .sequentiallyConsistent) }
    methods.xShmUnmap = { slot, _ in
      OpenFileSlot.file(slot)?.unmapIndex()
      return SQLITE_OK
    }
    return methods
  }
}
