internal import DepotLinux
package import DepotProtocol
internal import DepotSQLite

/// Replaces a store by a backup, while no service has the store open.
///
/// Even if the process ends during that, the file at the store's path is completely the old store
/// or completely the backup. If the old store is too damaged to be closed properly, a service may
/// refuse to start in between; repeating the same restore completes it.
@Memberwise
package struct StoreRestore {
  /// The result of a restore.
  package struct Outcome {
    /// The identifier of the store, the token of its last transaction, and the size of its file.
    package var store: String
    package var token: String?
    package var bytes: Int
    package var replaced: Replaced?
  }

  /// The store that the backup replaced.
  package struct Replaced {
    /// The path where it is kept; `nil` if its file was missing.
    package var path: String?
    /// The number of transactions that the backup lacks; `nil` if it is unknown.
    package var behind: Int64?
    /// The reason why it is unknown, as text for users.
    package var reason: String?
  }

  /// The path of the backup.
  private let backup: String
  /// The path of the store.
  private let path: String
  /// Whether to replace an existing store.
  private let replaces: Bool

  private var files: StoreFiles { StoreFiles(path) }

  /// Restores the backup.
  ///
  /// - Throws: ``DepotError`` `unavailable.busy` if a process has the store open, `request.usage`
  ///   if there is a store that isn't to be replaced or if a path isn't a file's,
  ///   `notfound.file` and `storage.corrupt` if the backup is missing, damaged, or not complete
  ///   without a log, and others of class `storage`; then the old store stays.
  package func run() throws(DepotError) -> Outcome {
    try checkBackup()
    let lock = try files.lock()
    defer { withExtendedLifetime(lock) {} }
    files.removeLeftovers()
    let draft = StoreCopies.restoring(path)
    do {
      let hasOld = try hasStore()
      let facts = try facts()
      // This comes first, because opening the old store removes the files of restores.
      let old = hasOld ? try closeOld(facts, lock) : nil
      try copy(to: draft)
      defer { StoreFiles(draft).remove() }
      var outcome = Outcome(store: facts.store, token: facts.token, bytes: facts.bytes)
      if hasOld {
        outcome.replaced = try replace(old, by: draft)
      } else {
        try place(draft)
      }
      return outcome
    } catch {
      StoreFiles(draft).remove()
      throw files.error(error)
    }
  }

  /// Checks that the backup is a store's file, complete without a log.
  ///
  /// - Throws: ``DepotError``, as ``run()``.
  package func checkBackup() throws(DepotError) {
    for file in [backup, path] where FileSystem.isOtherThanFile(file) {
      throw DepotError(.usage, "\(file) is no file, but a folder, a link, or a device.")
        .hint("Use the path of a file, of a link the one that it leads to.")
    }
    guard FileSystem.size(of: backup) != nil else {
      throw DepotError(.fileNotFound, "There is no file \(backup).")
    }
    guard !FileSystem.isSameFile(backup, path) else {
      throw DepotError(.usage, "\(backup) is the store itself.")
    }
    let evidence = try StoreFiles(backup).evidence()
    switch evidence.finding {
    case .unknown: return
    case .sound where DurableState.isClosed(evidence.stamp) && evidence.log.commits == 0: return
    case .none: throw DepotError(.corrupt, "\(backup) is empty.").hint("Use another backup.")
    case .damaged: throw StoreFiles(backup).firstPageIsDamaged
    default:
      throw DepotError(.corrupt, "\(backup) isn't a store that is complete by itself.")
        .hint("Take backups with depot backup, or copy the file of a service that was stopped.")
    }
  }

  /// Returns whether there is a store, and checks that it may be replaced.
  private func hasStore() throws(DepotError) -> Bool {
    // The files may be those of a store that this program can't read.
    if let evidence = try? files.evidence(), evidence.finding == .none { return false }
    try requireReplacing()
    return true
  }

  private func requireReplacing() throws(DepotError) {
    guard !replaces else { return }
    throw DepotError(.usage, "There is a store at \(path).")
      .hint("To replace the store with the backup: --replace; the old store is kept beside it.")
  }

  /// Copies the backup, flushes the copy, and verifies it as read from the disk.
  private func copy(to draft: String) throws(DepotError) {
    StoreFiles(draft).remove()
    let isThere = FileSystem.size(of: path) != nil
    try StoreFiles(draft).create(like: isThere ? path : nil)
    try StoreFiles(draft).working { () throws(SystemError) in
      let (from, to) = try (StoredFile(path: backup), StoredFile(path: draft, isWritable: true))
      var offset = 0
      while case let piece = try from.read(1 << 20, at: offset), !piece.isEmpty {
        try to.write(piece, at: offset)
        offset += piece.count
      }
      // A stopped store has a stamp by which its files recognize each other; the copy is a new
      // store.
      let page = try StoreFiles.firstPage(of: to)
      try to.write(DatabaseHeader.sealing(page, stamp: 0), at: 0)
      try to.flush()
    }
    guard let problems = try Store.check(path: draft), problems.isEmpty else {
      throw DepotError(.corrupt, "\(backup) is damaged.")
        .hint("Use another backup; depotd --check --store \(backup) says what is damaged.")
    }
  }

  /// Moves the copy to the store's path, where there is no store.
  private func place(_ draft: String) throws(DepotError) {
    try files.working { () throws(SystemError) in
      // Remaining files of a removed store don't belong to the backup.
      for suffix in ["-wal", ".state"] { FileSystem.remove(file: path + suffix) }
      try FileSystem.flush(folderOf: path)
      try FileSystem.renameDurably(draft, to: path)
    }
  }

  private func facts() throws(DepotError) -> RestoredFacts {
    do {
      return try RestoredFacts(of: backup)
    } catch {
      throw StoreFiles(backup).error(error)
    }
  }

  /// Closes the existing store properly; `nil` if it can't be opened.
  private func closeOld(_ facts: RestoredFacts, _ lock: FileLock) throws -> OldStore? {
    do {
      return try OldStore(StoreConfiguration(path: path), lock, comparedTo: facts)
    } catch {
      let error = files.error(error)
      guard [.corrupt, .io, .version].contains(error.code) else { throw error }
      return nil
    }
  }

  private func replace(_ old: OldStore?, by draft: String) throws -> Replaced {
    let kept = FileSystem.freeName("\(path).replaced-")
    guard let old else {
      let isThere = FileSystem.size(of: path) != nil
      try replaceDamaged(by: draft, linkingOldTo: isThere ? kept : nil)
      return Replaced(path: isThere ? kept : nil, reason: "it can't be opened")
    }
    try StoreCopies(of: path).swap(draft, linkingOldTo: kept)
    return Replaced(path: kept, behind: old.behind, reason: old.reason)
  }

  /// Moves the copy to the path of a store that can't be closed properly.
  ///
  /// First the state file is changed to describe the new file, so that the remaining files of the
  /// old one aren't used.
  private func replaceDamaged(by draft: String, linkingOldTo kept: String?) throws {
    let stamp = UInt32.random(in: 1...UInt32.max >> 1) << 1
    var state = DurableState(stamp: stamp, now: Clocks.wallMilliseconds())
    state.commits = 1
    state.checkpoints[0].commits = 1
    try files.working { () throws(SystemError) in
      let file = try StoredFile(path: draft, isWritable: true)
      let page = try StoreFiles.firstPage(of: file)
      try file.write(DatabaseHeader.sealing(page, stamp: stamp), at: 0)
      try file.flush()
      try StateFile.set(state, beside: path)
      try files.setAside(path + "-wal")
      if let kept { try FileSystem.link(path, to: kept) }
      try FileSystem.flush(folderOf: path)
      try FileSystem.renameDurably(draft, to: path)
    }
  }
}

/// The facts that a backup contains about itself.
struct RestoredFacts {
  let store: String
  /// The last row of the backup's history.
  let head: Int64
  let token: String?
  let bytes: Int
  let epochs: EpochChain

  init(of path: String) throws {
    let connection = try Connection(path: path, access: .frozen)
    store = try CatalogTables(connection: connection).storeIdentifier()
    head = try connection.historyHead()
    token = try SnapshotToken.read(on: connection, store: store)
    bytes = FileSystem.size(of: path) ?? 0
    epochs = EpochChain(store: store, try EpochTable(connection: connection).all())
  }
}

/// A properly closed store that a backup is about to replace.
struct OldStore {
  /// The number of transactions that the backup lacks; `nil` if it is unknown.
  var behind: Int64?
  /// The reason why it is unknown, as text for users.
  var reason: String?

  init(reason: String) { self.reason = reason }

  /// Opens the store, which this process has locked, compares it, and closes it.
  init(
    _ configuration: StoreConfiguration,
    _ lock: FileLock,
    comparedTo facts: RestoredFacts
  ) throws {
    let opened = try StoreOpening(configuration, lock).open()
    guard let writer = opened.writer else { return }
    let connection = writer.connection
    if opened.identifier != facts.store {
      reason = "it is another store"
    } else if let token = try facts.token.map({ try HistoryToken($0) }),
      (try? opened.epochs.check(token, head: try connection.historyHead())) == nil
    {
      reason = "the backup has transactions that it hasn't"
    } else if try connection.number(.historyFloor) > facts.head {
      reason = "its history doesn't reach back that far"
    } else {
      behind = try connection.integer(
        "SELECT count(*) FROM depot_history WHERE id > ?1 AND id = token",
        [.integer(facts.head)]
      )
    }
    try writer.close()
  }
}
