internal import CDepotSQLite
internal import Glibc

/// The file system by which SQLite reaches the files of databases (sqlite.org/vfs.html).
///
/// Databases and their write-ahead logs are ``MainFile`` and ``LogFile``: each page has a checksum, a
/// commit goes to the log in one write, and the connections of this process lock and share memory among
/// themselves, while all other processes are kept out. Temporary files and rollback journals are those of
/// SQLite's own file system.
enum VirtualFileSystem {
  /// The name by which SQLite knows it.
  static let name = "depot"

  /// Registers it, once for each process.
  static let isRegistered: Bool = {
    guard let system = sqlite3_vfs_find("unix") else { return false }
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: make(beside: system))
    return sqlite3_vfs_register(vfs, 0) == SQLITE_OK
  }()

  private static func make(beside system: UnsafeMutablePointer<sqlite3_vfs>) -> sqlite3_vfs {
    var vfs = sqlite3_vfs()
    vfs.iVersion = 2
    vfs.szOsFile = max(Int32(MemoryLayout<OpenFileSlot>.size), system.pointee.szOsFile)
    vfs.mxPathname = system.pointee.mxPathname
    vfs.zName = UnsafePointer(strdup(name))
    vfs.pAppData = UnsafeMutableRawPointer(system)
    vfs.xOpen = { vfs, path, slot, flags, outFlags in
      guard let vfs, let slot else { return SQLITE_CANTOPEN }
      return VirtualFileSystem.open(vfs, path, slot, flags, outFlags)
    }
    vfs.xDelete = { vfs, path, mustFlush in
      let system = VirtualFileSystem.original(vfs)
      return system?.pointee.xDelete?(system, path, mustFlush) ?? SQLITE_IOERR
    }
    vfs.xAccess = { vfs, path, question, answer in
      let system = VirtualFileSystem.original(vfs)
      return system?.pointee.xAccess?(system, path, question, answer) ?? SQLITE_IOERR
    }
    vfs.xFullPathname = { vfs, path, size, full in
      let system = VirtualFileSystem.original(vfs)
      return system?.pointee.xFullPathname?(system, path, size, full) ?? SQLITE_CANTOPEN
    }
    vfs.xRandomness = { vfs, count, bytes in
      let system = VirtualFileSystem.original(vfs)
      return system?.pointee.xRandomness?(system, count, bytes) ?? 0
    }
    vfs.xSleep = { vfs, microseconds in
      let system = VirtualFileSystem.original(vfs)
      return system?.pointee.xSleep?(system, microseconds) ?? 0
    }
    vfs.xCurrentTime = { vfs, time in
      let system = VirtualFileSystem.original(vfs)
      return system?.pointee.xCurrentTime?(system, time) ?? SQLITE_ERROR
    }
    vfs.xCurrentTimeInt64 = { vfs, time in
      let system = VirtualFileSystem.original(vfs)
      return system?.pointee.xCurrentTimeInt64?(system, time) ?? SQLITE_ERROR
    }
    vfs.xGetLastError = { _, _, _ in errno }
    return vfs
  }

  /// SQLite's own file system.
  private static func original(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?
  ) -> UnsafeMutablePointer<sqlite3_vfs>? {
    vfs?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self)
  }

  /// Opens a file.
  ///
  /// - Returns: A result code of SQLite.
  private static func open(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>,
    _ path: UnsafePointer<CChar>?,
    _ slot: UnsafeMutablePointer<sqlite3_file>,
    _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    slot.pointee.pMethods = nil
    guard let path, flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL) != 0 else {
      let system = VirtualFileSystem.original(vfs)
      return system?.pointee.xOpen?(system, path, slot, flags, outFlags) ?? SQLITE_CANTOPEN
    }
    do throws(FileFailure) {
      let file: OpenFile
      if flags & SQLITE_OPEN_WAL != 0, let main = sqlite3_filename_database(path) {
        file = try LogFile(
          path: String(cString: path),
          database: SharedDatabase.at(String(cString: main)),
          flags: flags
        )
      } else {
        let name = String(cString: path)
        file = try MainFile(path: name, database: SharedDatabase.at(name), flags: flags)
      }
      outFlags?.pointee = file.isWritable ? flags : flags & ~7 | SQLITE_OPEN_READONLY
      OpenFileSlot.fill(slot, with: file)
      return SQLITE_OK
    } catch {
      errno = error.code
      return error.result
    }
  }
}

/// A file that can't be used, as SQLite wants to be told.
struct FileFailure: Error {
  /// The result code.
  var result: Int32
  /// The value of errno.
  var code: Int32
}
