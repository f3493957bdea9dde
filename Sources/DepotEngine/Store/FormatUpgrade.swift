internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// Brings a store whose pages have no checksums (format 4 and before) to the format of this program.
///
/// All of it happens in a copy, which then takes the store's place: whenever the process ends, the file is
/// wholly the old store or wholly the new one.
struct FormatUpgrade {
  let path: String
  let clocks: ClockReading

  /// Where the copy is made.
  static func copy(of path: String) -> String { path + ".upgrading" }

  /// Upgrades the store, which must be locked and which nobody may have open; it is as it was if
  /// that fails.
  func run() throws(DepotError) {
    let files = StoreFiles(path)
    let copy = Self.copy(of: path)
    do {
      try makeCopy(copy)
      try StoredFile(path: copy, isWritable: true).flush()
      // The log is empty, and must not be found beside the other file.
      for suffix in ["-wal", "-shm"] { FileSystem.remove(file: path + suffix) }
      try FileSystem.flush(folderOf: path)
      try FileSystem.renameDurably(copy, to: path)
    } catch {
      FileSystem.remove(file: copy)
      throw error is SystemError ? StoreFiles(copy).error(error) : files.error(error)
    }
  }

  private func makeCopy(_ copy: String) throws {
    do {
      let old = try Connection(path: path, access: .writer)
      guard try StoreFiles(path).checkVersion(old) else {
        throw DepotError(.corrupt, "\(path) is empty.").hint("Remove it, and start again.")
      }
      guard try old.checkpoint(.truncate) else {
        throw DepotError(.busy, "Another program has the store \(path) open.")
          .hint("Nothing but depotd may open a live store.")
      }
      FileSystem.remove(file: copy)
      try StoreFiles(copy).create(like: path)
      try old.vacuum(into: copy)
    }
    let new = try Connection(path: copy, access: .writer)
    try new.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
    try TextFunctions.register(on: new)
    try CatalogTables(connection: new).upgrade(clocks)
    let problems = try new.texts("PRAGMA quick_check(10)")
    guard problems == ["ok"] else { throw StoreFiles(path).damaged(problems) }
  }
}
