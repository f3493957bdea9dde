internal import DepotLinux
package import DepotProtocol
internal import DepotSQLite

/// The copies of a store that migrations make: backups, and the copy that replaces the store.
package struct StoreCopies {
  private let path: String

  package init(of path: String) { self.path = path }

  /// Returns the path of the working copy of a custom migration.
  package static func migrating(_ path: String) -> String { path + ".migrating" }

  /// Returns the path of a restored backup's copy before it is verified.
  static func restoring(_ path: String) -> String { path + ".restoring" }

  private var draft: String { path + ".copying" }

  /// The suffix of a backup until its migration is on disk.
  private static let unfinished = ".unfinished"
  /// The suffix of an additional name of the store itself, until then.
  private static let linked = ".linked" + unfinished

  /// Returns the path of the store's next backup.
  package func nextBackup(of version: SchemaVersion?) -> String {
    FileSystem.freeName("\(path).backup-\(version?.description ?? "0")-")
  }

  /// Copies the store as of its last commit, and flushes the copy to disk.
  ///
  /// ``finish(_:)`` gives it its final name when the migration is on disk. Until then it has a
  /// temporary name, by which ``settle(_:)`` recognizes it after a crash.
  func back(up version: SchemaVersion?, _ control: CallControl) throws -> String {
    let name = nextBackup(of: version)
    do {
      try copy(to: draft, control)
      try Self.beside {
        let problems = try Connection(path: draft, access: .frozen).texts("PRAGMA quick_check(10)")
        guard problems == ["ok"] else { throw StoreFiles(path).damaged(problems) }
      }
      try StoreFiles(path).working { () throws(SystemError) in
        try StoredFile(path: draft, isWritable: true).flush()
        try FileSystem.renameDurably(draft, to: name + Self.unfinished)
      }
    } catch {
      StoreFiles(draft).remove()
      throw error
    }
    return name
  }

  /// Gives a backup its final name.
  ///
  /// If that fails, the next start repeats it.
  func finish(_ backup: String) { finish(backup, Self.unfinished) }

  private func finish(_ backup: String, _ ending: String) {
    try? FileSystem.renameDurably(backup + ending, to: backup)
  }

  /// Removes the backup of a failed migration, which isn't needed because the store is unchanged.
  func discard(_ backup: String) { FileSystem.remove(file: backup + Self.unfinished) }

  /// Finishes or removes the backups of migrations that were interrupted.
  ///
  /// If the migration is on disk, the backup gets its final name. That is so if a copy has another
  /// version than the store, or if the additional name is no longer the store's file.
  func settle(_ version: SchemaVersion?) {
    let current = path + ".backup-\(version?.description ?? "0")"
    for entry in entries(after: ".backup-") where entry.hasSuffix(Self.unfinished) {
      let isLinked = entry.hasSuffix(Self.linked)
      let ending = isLinked ? Self.linked : Self.unfinished
      let backup = String(entry.dropLast(ending.count))
      guard let dash = backup.lastIndex(of: "-") else { continue }
      if isLinked ? FileSystem.isSameFile(path, entry) : backup[..<dash] == current {
        FileSystem.remove(file: entry)
      } else {
        finish(backup, ending)
      }
    }
  }

  /// Returns the files beside the store whose names start with its own name and `suffix`.
  func entries(after suffix: String) -> [String] {
    let prefix = path.dropFirst(folder.count) + suffix
    return FileSystem.entries(of: folder.isEmpty ? "." : folder)
      .filter { $0.hasPrefix(prefix) }.sorted().map { folder + $0 }
  }

  /// The store's path up to its name.
  var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }

  /// Copies the store as of its last commit, for a custom migration.
  func copyForMigration(_ control: CallControl) throws {
    let target = Self.migrating(path)
    StoreFiles(target).remove()
    try copy(to: target, control)
  }

  private func copy(to target: String, _ control: CallControl) throws {
    StoreFiles(target).removeContent()
    try StoreFiles(target).create(like: path)
    try Self.beside {
      let source = try Connection(path: path, access: .reader)
      try source.copy(to: target) { try control.check() }
    }
  }

  /// Runs an operation on a copy; its failures leave the store undamaged.
  static func beside(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as SQLiteError {
      throw error.isWantOfRoom ? DepotError.noRoom : DepotError(error)
    }
  }

  /// Replaces the store by the copy of a custom migration; both must be closed.
  ///
  /// If the process ends meanwhile, the file at the store's path is completely the old store or
  /// completely the new one.
  ///
  /// - Parameter backup: The path for the old store, or `nil` to remove it.
  /// - Throws: ``DepotError`` of class `storage`; then the store is the old one, or the next start
  ///   uses the new one.
  package func swap(keepingOldAt backup: String?) throws(DepotError) {
    let copy = Self.migrating(path)
    try swap(copy, linkingOldTo: backup.map { $0 + Self.linked })
    if let backup { finish(backup, Self.linked) }
    FileSystem.remove(file: copy + ".lock")
  }

  /// Replaces the store by a copy, as ``swap(keepingOldAt:)`` does.
  ///
  /// - Parameters:
  ///   - copy: The path of the closed copy.
  ///   - name: An additional name for the old store; `nil` to remove it.
  /// - Throws: ``DepotError`` of class `storage`.
  func swap(_ copy: String, linkingOldTo name: String?) throws(DepotError) {
    // A log that isn't empty would be applied to the other file.
    for file in [path, copy] where (FileSystem.size(of: file + "-wal") ?? 0) > 0 {
      throw DepotError(.full, "The log of \(file) couldn't be emptied, for want of room perhaps.")
        .hint("Nothing was changed. Free some room, and try again.")
    }
    try StoreFiles(path).working { () throws(SystemError) in
      try StoredFile(path: copy, isWritable: true).flush()
      for file in [path, copy] {
        FileSystem.remove(file: file + "-wal")
      }
      try stamp(copy)
      if let name { try FileSystem.link(path, to: name) }
      try FileSystem.flush(folderOf: path)
      try FileSystem.renameDurably(copy, to: path)
    }
  }

  /// Writes the stamp into a copy by which it is recognized as the store's next file.
  private func stamp(_ copy: String) throws(SystemError) {
    var state: DurableState
    do throws(SystemError) {
      guard let known = try StateFile.state(of: path) else { return }
      state = known
    } catch {
      if error.isMissingFile { return }
      throw error
    }
    state.willReplaceFile()
    try StateFile.set(state, beside: path)
    let file = try StoredFile(path: copy, isWritable: true)
    let page = try StoreFiles.firstPage(of: file)
    try file.write(DatabaseHeader.sealing(page, stamp: state.nextStamp), at: 0)
    try file.flush()
  }

  /// Removes the copy of a custom migration, which must be closed.
  package func removeCopy() { StoreFiles(Self.migrating(path)).remove() }
}

extension StoreFiles {
  /// Removes the files left by an interrupted migration.
  func removeLeftovers() {
    StoreFiles(path + ".copying").remove()
    FileSystem.remove(file: StateFile.path(of: path) + ".new")
    StoreFiles(StoreCopies.restoring(path)).remove()
    // These are names that a restore was about to give to the replaced store.
    for file in StoreCopies(of: path).entries(after: ".replaced-")
    where FileSystem.isSameFile(path, file) {
      FileSystem.remove(file: file)
    }
    StoreFiles(StoreCopies.migrating(path)).remove()
  }
}
