internal import CDepotSQLite
internal import Glibc

/// The file system through which SQLite accesses the files of databases (sqlite.org/vfs.html).
///
/// Databases and their write-ahead logs are ``MainFile`` and ``WALFile``: each page has a checksum,
/// and a commit is written to the log at once. The connections of this process share locks and
/// memory among themselves, and all other processes are locked out. Temporary files and rollback
/// journals are those of SQLite's own file system.
enum VirtualFileSystem {
  /// The name under which SQLite knows it.
  static let name = "depot"

  /// Registers it, once per process.
  static let isRegistered: Bool = {
    guard let system = sqlite3_vfs_find("unix") else { return false }
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    // Everything except the opening of files is the same as in SQLite's own file system.
    vfs.initialize(to: system.pointee)
    vfs.pointee.szOsFile = max(Int32(MemoryLayout<OpenFileSlot>.size), system.pointee.szOsFile)
    vfs.pointee.zName = UnsafePointer(strdup(name))
    vfs.pointee.xOpen = { _, path, slot, flags, outFlags in
      guard let slot else { return SQLITE_CANTOPEN }
      return VirtualFileSystem.open(path, slot, flags, outFlags)
    }
    return sqlite3_vfs_register(vfs, 0) == SQLITE_OK
  }()

  /// Opens a file.
  ///
  /// - Returns: A result code of SQLite.
  private static func open(
    _ path: UnsafePointer<CChar>?,
    _ slot: UnsafeMutablePointer<sqlite3_file>,
    _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    slot.pointee.pMethods = nil
    guard let path, flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL) != 0 else {
      let system = sqlite3_vfs_find("unix")
      return system?.pointee.xOpen?(system, path, slot, flags, outFlags) ?? SQLITE_CANTOPEN
    }
    do throws(FileFailure) {
      let file: OpenFile
      if flags & SQLITE_OPEN_WAL != 0, let main = sqlite3_filename_database(path) {
        file = try WALFile(
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

/// A failure to open a file, in the form that SQLite expects.
struct FileFailure: Error {
  /// The result code.
  var result: Int32
  /// The value of errno.
  var code: Int32
}
