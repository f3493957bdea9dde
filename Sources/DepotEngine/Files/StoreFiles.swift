internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite
internal import Glibc

/// The files of a store, accessed without SQLite.
@Memberwise("path")
struct StoreFiles {
  let path: String

  /// Reads the first page of a database, whose size is in its header.
  ///
  /// If the header isn't one, it reads as much as the largest first page of a store has.
  static func firstPage(of file: StoredFile) throws(SystemError) -> [UInt8] {
    let page = try file.read(4096, at: 0)
    let size = page.withUnsafeBytes(DatabaseHeader.init)?.pageSize ?? page.count
    return size < page.count ? Array(page[..<size]) : page
  }

  /// Locks the store for this process.
  func lock() throws(DepotError) -> FileLock {
    let lock: FileLock
    do {
      // A process that was just killed may not have ended yet.
      lock = try FileLock(path: path + ".lock", attempts: 20)
    } catch {
      throw self.error(error)
    }
    if case .unsuitable(let name) = lock.fileSystem {
      throw DepotError(.io, "The store \(path) is on a file system of kind \(name).")
        .hint("Locks and flushes can't be relied on there; use a local disk.")
    }
    return lock
  }

  /// Locks the store for a check, shared if it is read-only; `nil` if even that isn't possible.
  func lockForChecking() throws(DepotError) -> FileLock? {
    do throws(DepotError) {
      return try lock()
    } catch {
      guard error.code == .readOnly else { throw error }
      return try lockForReading()
    }
  }

  /// Keeps other processes from writing to the store; `nil` if this user can't lock it.
  func lockForReading() throws(DepotError) -> FileLock? {
    do {
      return try FileLock(sharing: path + ".lock", attempts: 20)
    } catch {
      if case .system(let error) = error, [EACCES, EPERM, EROFS].contains(error.code) {
        return nil
      }
      throw self.error(error)
    }
  }

  private func error(_ failure: FileLock.Failure) -> DepotError {
    switch failure {
    case .held(let holder):
      let process = holder.map { "process \($0)" } ?? "another process"
      return DepotError(.busy, "The store \(path) is in use by \(process).")
        .hint("Stop that depotd, or use another store.")
        .details(holder.map { ["pid": .int64(Int64($0)), "path": .string(path)] } ?? [:])
    case .system(let error): return DepotError(error, file: "\(path).lock")
    }
  }

  /// The current files of an open store.
  var kept: [KeptFile] { ["", "-wal", ".state", ".lock"].compactMap { KeptFile(path + $0) } }

  /// Removes the files of a closed store.
  func remove() {
    removeContent()
    FileSystem.remove(file: path + ".lock")
  }

  /// Removes the files except the lock.
  func removeContent() {
    for suffix in ["", "-wal", "-journal", ".state"] { FileSystem.remove(file: path + suffix) }
  }

  /// Creates the database's file with access for its owner only.
  ///
  /// SQLite gives its other files the same mode.
  ///
  /// - Parameter other: A file whose owner and mode it gets; this process's if `nil`.
  /// - Throws: ``DepotError`` of class `storage` or `permission` if it can't be created.
  func create(like other: String? = nil) throws(DepotError) {
    try working { () throws(SystemError) in
      try StoredFile.create(path: path)
      guard let other else { return }
      try Descriptor.open(reading: path).adopt(ownerOf: .open(reading: other))
    }
  }

  /// Opens a file so that its pages are read from the disk; `nil` if it doesn't exist.
  ///
  /// After a failed flush, the kernel's cache has pages that never reached the disk.
  func reread(_ path: String) throws(DepotError) -> StoredFile? {
    do throws(SystemError) {
      let file = try StoredFile(path: path)
      do throws(SystemError) {
        try file.flush()
      } catch {
        // On a file system that became read-only, nothing in the cache will reach the disk.
        guard error.isReadOnlyFileSystem else { throw error }
      }
      try file.dropCache()
      return file
    } catch {
      if error.code == ENOENT { return nil }
      throw DepotError(error, file: path)
    }
  }

  /// Checks that the file is a store of this format; returns whether it has tables.
  func checkVersion(_ connection: Connection) throws -> Bool {
    let application = try connection.integer("PRAGMA application_id") ?? 0
    let version = try connection.integer("PRAGMA user_version") ?? 0
    if application == 0, version == 0,
      try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
    {
      return false
    }
    try check(application: application, version: version)
    return true
  }

  func check(application: Int64, version: Int64) throws(DepotError) {
    guard application == CatalogTables.applicationIdentifier else {
      throw DepotError(.corrupt, "\(path) is an SQLite database, but not a store of Depot.")
        .hint("It was not touched. Use another path.")
    }
    let (oldest, known) = (CatalogTables.formats.lowerBound, CatalogTables.format)
    guard !CatalogTables.formats.contains(version) else { return }
    let reason = "\(path) has format \(version); this program knows \(oldest) to \(known)."
    throw DepotError(.version, reason)
      .hint(
        version > known
          ? "It was not touched. Use a newer depotd."
          : """
          It was not touched. It was written before Depot's first release: export it with a depotd and \
          depot of that time (depot export --all), and import the files with these.
          """
      )
  }

  /// Returns the error for problems that SQLite found: damage, unless the disk failed meanwhile.
  func damaged(_ problems: [String]) -> DepotError {
    let codes = problems.flatMap { $0.split(separator: "error code=").dropFirst() }
      .compactMap { Int32($0.prefix(while: \.isNumber)) }
    if codes.contains(where: SQLiteError.isOfDisk) { return DepotError(diskError, file: path) }
    let list = problems.joined(separator: "; ")
    return DepotError(.corrupt, "The store \(path) is damaged: \(list).")
      .hint("Restore it from a backup.")
  }

  private var diskError: SystemError { SystemError(call: "read", code: EIO) }

  /// Translates an error of an operation on the files.
  func error(_ error: any Error) -> DepotError {
    switch error {
    case let error as DepotError: error
    case let error as SQLiteError: self.error(error)
    case let error as SystemError: DepotError(error, file: path)
    default: DepotError(.bug, "\(error)")
    }
  }

  /// Runs an operation on the files, and translates its errors.
  func working<Result>(
    _ body: () throws(SystemError) -> Result
  ) throws(DepotError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw DepotError(error, file: path)
    }
  }

  /// Translates an error of opening the store.
  private func error(_ error: SQLiteError) -> DepotError {
    let cause = SystemError(call: "SQLite", code: error.systemErrno)
    if error.isExhaustion { return DepotError(cause, file: path) }
    if error.isWantOfRoom { return DepotError(SystemError(call: "", code: ENOSPC), file: path) }
    return switch error.kind {
    case .damaged: .damaged(error)
    case .broken where error.isOfDisk: DepotError(diskError, file: path)
    case .broken: damaged([error.message])
    case .other where error.systemErrno != 0: DepotError(cause, file: path)
    case .other: DepotError(.io, "The store \(path) can't be opened: \(error).")
    default: DepotError(error)
    }
  }
}

extension [UInt8] {
  /// Reads a big-endian integer of four bytes.
  func integer(at offset: Int) -> Int64 {
    self[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
  }
}
