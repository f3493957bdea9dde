internal import DepotLinux
package import DepotProtocol
internal import DepotSQLite

/// The copies of a store that migrations make: backups, and the one that takes its place.
package struct StoreCopies {
  private let path: String

  package init(of path: String) { self.path = path }

  /// Where the copy is that a custom migration works on.
  package static func migrating(_ path: String) -> String { path + ".migrating" }

  private var draft: String { path + ".copying" }

  /// The ending of a backup until its migration is on disk.
  private static let unfinished = ".unfinished"
  /// The same for another name of the store itself.
  private static let linked = ".linked" + unfinished

  /// Returns where the next backup of a store goes.
  package func nextBackup(of version: SchemaVersion?) -> String {
    FileSystem.freeName("\(path).backup-\(version?.description ?? "0")-")
  }

  /// Copies the store, as it was committed last, and waits until the copy is on disk.
  ///
  /// It gets its name with ``finish(_:)`` when the migration is on disk. Until then it has another
  /// one, by which ``settle(_:)`` knows it after a crash.
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

  /// Gives a backup its name.
  ///
  /// If that fails, the next start does it.
  func finish(_ backup: String) { finish(backup, Self.unfinished) }

  private func finish(_ backup: String, _ ending: String) {
    try? FileSystem.renameDurably(backup + ending, to: backup)
  }

  /// Removes the backup of a migration that failed; the store stays as it is, so nobody needs it.
  func discard(_ backup: String) { FileSystem.remove(file: backup + Self.unfinished) }

  /// Settles the backups of migrations that were cut short: one of a migration that is on disk gets its
  /// name, and any other is removed.
  ///
  /// A copy is of another version than the store has then, and another name isn't the store's any more.
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

  /// Returns the files beside the store whose names go on with `suffix`.
  func entries(after suffix: String) -> [String] {
    let prefix = path.dropFirst(folder.count) + suffix
    return FileSystem.entries(of: folder.isEmpty ? "." : folder)
      .filter { $0.hasPrefix(prefix) }.sorted().map { folder + $0 }
  }

  /// The part of the store's path before its name.
  var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }

  /// Copies the store, as it was committed last, for a custom migration.
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

  /// Runs an operation on a copy; its failures leave the store intact.
  static func beside(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as SQLiteError {
      throw error.isWantOfRoom ? DepotError.noRoom : DepotError(error)
    }
  }

  /// Puts the copy of a custom migration in the place of the store; both must be closed.
  ///
  /// Whenever the process ends in it, the file at the store's path is wholly the old store or wholly
  /// the new one.
  ///
  /// - Parameter backup: Where the old store is kept, or `nil` if it isn't.
  /// - Throws: ``DepotError`` of class `storage`; then the store is the old one, or the next start finds
  ///   the new one.
  package func swap(keepingOldAt backup: String?) throws(DepotError) {
    let copy = Self.migrating(path)
    try swap(copy, linkingOldTo: backup.map { $0 + Self.linked })
    if let backup { finish(backup, Self.linked) }
    FileSystem.remove(file: copy + ".lock")
  }

  /// Puts a copy in the place of the store, as ``swap(keepingOldAt:)`` does.
  ///
  /// - Parameters:
  ///   - copy: The copy, closed.
  ///   - name: Another name of the old store; `nil` if it is to go.
  /// - Throws: ``DepotError`` of class `storage`.
  func swap(_ copy: String, linkingOldTo name: String?) throws(DepotError) {
    // A log that wasn't emptied would be applied to the other file.
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

  /// Gives a copy that is about to take the store's place the stamp by which that is known.
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
    let page = try file.read(4096, at: 0)
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
    StoreFiles(StoreRestore.draft(of: path)).remove()
    // The names that a restore was about to give to the store that it replaces.
    for file in StoreCopies(of: path).entries(after: ".replaced-")
    where FileSystem.isSameFile(path, file) {
      FileSystem.remove(file: file)
    }
    StoreFiles(StoreCopies.migrating(path)).remove()
  }
}
