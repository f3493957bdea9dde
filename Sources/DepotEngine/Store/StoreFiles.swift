internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite
internal import Glibc

/// The files of a store, looked at without SQLite.
struct StoreFiles {
  let path: String

  init(_ path: String) {
    self.path = path
  }

  /// Takes the store for this process.
  ///
  /// - Throws: ``DepotError`` `unavailable.busy` if another process has it.
  func lock() throws(DepotError) -> FileLock {
    let lock: FileLock
    do {
      // A process that was just killed may still be going away.
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

  /// Keeps others from writing to the store; `nil` if this user may not even lock it.
  ///
  /// - Throws: ``DepotError`` `unavailable.busy` if another process writes to it.
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
    case .system(let error): return self.error(error, "\(path).lock")
    }
  }

  /// Makes sure that there is a store that can be read without being written to.
  ///
  /// - Throws: ``DepotError`` `notfound.file` if there is none, `unavailable.readonly` if its log
  ///   would have to be applied first.
  func proveReadable() throws(DepotError) {
    do {
      try checkHeader(StoredFile(path: path))
    } catch let error as SystemError {
      if error.code == ENOENT {
        throw DepotError(.fileNotFound, "There is no store at \(path).")
          .hint("A store that is opened for reading only isn't made.")
      }
      throw self.error(error, path)
    } catch let error as DepotError {
      throw error
    } catch {
      throw DepotError(.bug, "\(error)")
    }
    guard FileSystem.size(of: path + "-wal") ?? 0 == 0 else {
      throw DepotError(.readOnly, "The store \(path) wasn't closed in good order.")
        .hint("Open it for writing once, so that its log is applied.")
    }
  }

  /// Removes the files of a store that was closed.
  func remove() {
    for suffix in ["", "-wal", "-shm", "-journal", ".lock"] {
      FileSystem.remove(file: path + suffix)
    }
  }

  /// Makes sure that the files are what the disk holds, and that they can be opened.
  ///
  /// - Returns: Whether there is a store.
  /// - Throws: ``DepotError`` `storage.corrupt` and others.
  @discardableResult
  func prove() throws(DepotError) -> Bool {
    guard let database = try reread(path) else { return false }
    let log = try reread(path + "-wal")
    do {
      try checkHeader(database)
      if let log, let lost = try WALAutopsy(log).lostCommits {
        throw DepotError(.corrupt, "The log \(path)-wal is damaged; commits lie beyond the damage.")
          .hint("At least \(lost) would be lost. Restore from a backup, or move the log away.")
          .details(["path": .string(path + "-wal"), "commits": .int64(Int64(lost))])
      }
      return true
    } catch let error as SystemError {
      throw self.error(error, path)
    } catch let error as DepotError {
      throw error
    } catch {
      throw DepotError(.bug, "\(error)")
    }
  }

  /// Creates the database's file for its owner alone; SQLite gives its other files the same mode.
  func create() throws(DepotError) {
    do {
      try StoredFile.create(path: path)
    } catch {
      throw self.error(error, path)
    }
  }

  /// Opens a file whose pages will come from the disk; `nil` if it doesn't exist.
  ///
  /// After a failed flush the kernel keeps pages that never reached the disk.
  private func reread(_ path: String) throws(DepotError) -> StoredFile? {
    do {
      let file = try StoredFile(path: path)
      try file.flush()
      try file.dropCache()
      return file
    } catch {
      if error.code == ENOENT { return nil }
      throw self.error(error, path)
    }
  }

  /// Refuses a file that isn't ours, before SQLite can touch it.
  private func checkHeader(_ file: StoredFile) throws {
    let header = try file.read(100, at: 0)
    if header.isEmpty { return }
    guard header.count == 100, header.starts(with: "SQLite format 3\0".utf8) else {
      throw DepotError(.corrupt, "\(path) isn't a store.").hint("Use another path.")
    }
    let version = header.integer(at: 60)
    let application = header.integer(at: 68)
    // Until the first checkpoint, both are in the log only.
    if application == 0, version == 0 { return }
    try check(application: application, version: version)
  }

  /// Refuses what isn't ours; returns whether there is anything at all.
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

  private func check(application: Int64, version: Int64) throws(DepotError) {
    guard application == CatalogTables.applicationIdentifier else {
      throw DepotError(.corrupt, "\(path) is an SQLite database, but not a store of Depot.")
        .hint("It was not touched. Use another path.")
    }
    guard version <= CatalogTables.formatVersion else {
      let known = CatalogTables.formatVersion
      throw DepotError(.version, "\(path) has format \(version); this program knows \(known).")
        .hint("It was not touched. Use a newer depotd.")
    }
  }

  func damaged(_ problems: [String]) -> DepotError {
    DepotError(.corrupt, "The store \(path) is damaged: \(problems.joined(separator: "; ")).")
      .hint("Restore it from a backup.")
  }

  /// Translates a failure to open the store.
  func error(_ error: SQLiteError) -> DepotError {
    if error.isWantOfRoom { return .noRoom }
    return switch error.kind {
    case .broken where error.systemErrno == 0: damaged([error.message])
    case .other: DepotError(.io, "The store \(path) can't be opened: \(error).")
    default: DepotError(error)
    }
  }

  func error(_ error: SystemError, _ path: String) -> DepotError {
    switch error.code {
    case ENOENT, ENOTDIR: DepotError(.fileNotFound, "There is no folder for \(path).")
    case EROFS: DepotError(.readOnly, "\(path) is on a file system that can't be written.")
    case EACCES, EPERM:
      DepotError(.readOnly, "The service may not write to \(path).")
        .hint("Open it for reading only, or let user \(Process.user) write there.")
    case EISDIR: DepotError(.io, "\(path) is a folder.").hint("Name a file.")
    case ENOSPC, EDQUOT: DepotError(.full, "There is no room for \(path).")
    case ELOOP: DepotError(.io, "\(path) is a symbolic link.").hint("Use the path it leads to.")
    default: DepotError(.io, "\(path) can't be used: \(error).")
    }
  }
}

extension [UInt8] {
  /// Reads a big-endian integer of four bytes.
  func integer(at offset: Int) -> Int64 {
    self[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
  }
}
