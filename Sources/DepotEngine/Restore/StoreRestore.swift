internal import DepotLinux
package import DepotProtocol
internal import DepotSQLite

/// The replacement of a store that isn't being served by a backup.
///
/// Even if the process ends during it, the file at the store's path is wholly the old store or
/// wholly the backup. If the old store is too damaged to be closed properly, a service may refuse
/// to start in between; running the same restore again completes it.
@Memberwise
package struct StoreRestore {
  /// The outcome of a restore.
  package struct Outcome {
    /// The identifier of the store, the token of its last transaction, and the size of its file.
    package var store: String
    package var token: String?
    package var bytes: Int
    package var replaced: Replaced?
  }

  /// The store that the backup took the place of.
  package struct Replaced {
    /// Where it is kept; `nil` if its file was gone.
    package var path: String?
    /// How many transactions the backup is behind it; `nil` if nobody can know.
    package var behind: Int64?
    /// Why that is so, in words.
    package var reason: String?
  }

  /// The file of the backup.
  private let backup: String
  /// Where the store is to be.
  private let path: String
  /// Whether a store that is there may be replaced.
  private let replaces: Bool

  private var files: StoreFiles { StoreFiles(path) }

  /// Where the backup is copied to until it is proved.
  static func draft(of path: String) -> String { path + ".restoring" }

  /// Restores the backup.
  ///
  /// - Throws: ``DepotError`` `unavailable.busy` if a process has the store, `request.usage` if there is one and it
  ///   isn't to be replaced or a path is no file's, `notfound.file` and `storage.corrupt` if the backup is missing, damaged, or not
  ///   complete by itself, and others of class `storage`; then the store is the old one.
  package func run() throws(DepotError) -> Outcome {
    for file in [backup, path] where FileSystem.isOtherThanFile(file) {
      throw DepotError(.usage, "\(file) is no file, but a folder, a link, or a device.")
        .hint("Use the path of a file, of a link the one that it leads to.")
    }
    let lock = try files.lock()
    defer { withExtendedLifetime(lock) {} }
    files.removeLeftovers()
    let draft = Self.draft(of: path)
    do {
      try checkBackup()
      let hasOld = try hasStore()
      let facts = try facts()
      // Opening the old store removes the files of restores, so that comes first.
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

  /// Makes sure that the backup is a store's file, complete without a log.
  private func checkBackup() throws(DepotError) {
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

  /// Returns whether there is a store that counts, and which may be replaced.
  private func hasStore() throws(DepotError) -> Bool {
    // The files needn't be a store that this program knows.
    if let evidence = try? files.evidence(), evidence.finding == .none { return false }
    try requireReplacing()
    return true
  }

  private func requireReplacing() throws(DepotError) {
    guard !replaces else { return }
    throw DepotError(.usage, "There is a store at \(path).")
      .hint("To put the backup into its place, say --replace; the store is kept beside it.")
  }

  /// Copies the backup, and reads the copy from the disk to prove it.
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
      // A store that was stopped has a stamp of its own, by which its files know each other.
      let page = try to.read(4096, at: 0)
      try to.write(DatabaseHeader.sealing(page, stamp: 0), at: 0)
      try to.flush()
    }
    guard let problems = try Store.check(path: draft), problems.isEmpty else {
      throw DepotError(.corrupt, "\(backup) is damaged.")
        .hint("Use another backup; depotd --check --store \(backup) says what is damaged.")
    }
  }

  /// Puts the copy where no store is.
  private func place(_ draft: String) throws(DepotError) {
    try files.working { () throws(SystemError) in
      // The rest of a store that somebody has removed is of no use to another.
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

  /// Closes the store that is there in good order; `nil` if it can't be opened.
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

  /// Puts the copy into the place of a store that can't be closed in good order.
  ///
  /// First the state file is changed to name the new file, so that the rest of the old one isn't
  /// taken for the store.
  private func replaceDamaged(by draft: String, linkingOldTo kept: String?) throws {
    let stamp = UInt32.random(in: 1...UInt32.max >> 1) << 1
    var state = DurableState(stamp: stamp, now: Clocks.wallMilliseconds())
    state.commits = 1
    state.checkpoints[0].commits = 1
    try files.working { () throws(SystemError) in
      let file = try StoredFile(path: draft, isWritable: true)
      try file.write(DatabaseHeader.sealing(try file.read(4096, at: 0), stamp: stamp), at: 0)
      try file.flush()
      try StateFile.set(state, beside: path)
      try files.setAside(path + "-wal")
      if let kept { try FileSystem.link(path, to: kept) }
      try FileSystem.flush(folderOf: path)
      try FileSystem.renameDurably(draft, to: path)
    }
  }
}

/// The facts that a backup tells about itself.
struct RestoredFacts {
  let store: String
  /// The last row of its history.
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

/// A store that a backup is about to replace, closed in good order.
struct OldStore {
  /// How many transactions the backup is behind; `nil` if nobody can know.
  var behind: Int64?
  /// Why nobody can know, in words.
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
