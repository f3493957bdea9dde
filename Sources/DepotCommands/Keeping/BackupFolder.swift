internal import DepotLinux
internal import DepotProtocol

/// A folder that the backups of several stores are written to, and which has its name only when all of them
/// are there.
struct BackupFolder {
  /// The end of the name of a folder that isn't complete.
  private static let partial = ".part"
  /// The end of the name of the file beside it that its program has locked.
  private static let lockName = ".lock"

  private let path: String
  /// The folder while it isn't complete.
  let draft: String
  private let lock: Descriptor

  /// Creates the folder under another name.
  ///
  /// - Throws: ``DepotError`` `request.usage` if something has the name, `unavailable.busy` if another backup
  ///   is being written there, and `storage.io`.
  init(_ path: String) throws(DepotError) {
    guard FileSystem.size(of: path) == nil else {
      throw DepotError(.usage, "\(path) is there already.")
        .hint("The container has several stores, for which a new folder is made.")
    }
    let draft = path + Self.partial
    (self.path, self.draft) = (path, draft)
    lock = try attempt("The file \(draft + Self.lockName) can't be created") {
      () throws(SystemError) in
      try Descriptor.open(file: draft + Self.lockName, isWritable: true, creatingWithMode: 0o600)
    }
    // Another one may have removed the file meanwhile, and made a new one.
    let opened = FileSystem.destination(of: "/proc/self/fd/\(lock.number)")
    guard Self.isLocked(lock), opened == FileSystem.destination(of: draft + Self.lockName) else {
      throw DepotError(.busy, "Another backup is being written to \(path).")
    }
    FileSystem.remove(folderWithFiles: draft)
    try attempt("The folder \(draft) can't be made") { () throws(SystemError) in
      try FileSystem.createNewPrivateFolder(draft)
    }
  }

  /// Gives the folder its name.
  func publish() throws(DepotError) {
    try attempt("The folder \(path) can't be made") { () throws(SystemError) in
      try FileSystem.renameDurably(draft, to: path)
    }
  }

  /// Removes the folder, unless it has its name.
  func end() {
    Self.remove(left: draft)
    withExtendedLifetime(lock) {}
  }

  /// Whether a folder is the unfinished one of a backup, and no program writes it.
  static func isLeft(_ path: String) -> Bool {
    guard path.hasSuffix(partial), FileSystem.isPrivateFolder(path) else { return false }
    let names = FileSystem.entries(of: path)
    let ends = [".sqlite", ".sqlite.part", "-wal", "-journal", ".lock"]
    guard names.allSatisfy({ name in ends.contains(where: name.hasSuffix) }),
      let lock = try? Descriptor.open(file: path + lockName, isWritable: true)
    else { return false }
    return isLocked(lock)
  }

  /// Removes an unfinished folder.
  static func remove(left path: String) {
    FileSystem.remove(folderWithFiles: path)
    FileSystem.remove(file: path + lockName)
  }

  private static func isLocked(_ descriptor: Descriptor) -> Bool {
    (try? descriptor.lock(0..<1, exclusively: true)) != nil
  }
}
