internal import DepotLinux
internal import DepotProtocol

/// The folder for the backups of several stores, which gets its name only when all are complete.
struct BackupFolder {
  /// The suffix of an incomplete folder's name.
  private static let partial = ".part"
  /// The suffix of the lock file beside it.
  private static let lockName = ".lock"

  private let path: String
  /// The path of the folder while it is incomplete.
  let draft: String
  private let lock: Descriptor

  /// Creates the folder under another name.
  ///
  /// - Throws: ``DepotError`` `request.usage` if the name exists already, `unavailable.busy` if
  ///   another backup is being written there, and `storage.io`.
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
    // Another backup may have removed the lock file meanwhile, and made a new one.
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

  /// Removes the folder, unless it got its name.
  func end() {
    Self.remove(left: draft)
    withExtendedLifetime(lock) {}
  }

  /// Whether a folder is an unfinished backup that no program is writing.
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
