internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite
internal import Glibc

/// Verifies a store before it is used, and opens it.
///
/// The files are read directly only before SQLite opens them.
@Memberwise("configuration", "lock")
struct StoreOpening {
  struct Opened {
    /// The writer; `nil` for a read-only store.
    var writer: Writer?
    var catalog: Catalog
    /// The lock; `nil` for a read-only store whose file can't be locked.
    var lock: FileLock?
    var identifier: String
    var epochs: EpochChain
    var interest = ChangeInterest()
  }

  let configuration: StoreConfiguration
  /// The lock on the file, if this process already has it.
  private let lock: FileLock?
  private var path: String { configuration.path }

  func open() throws(DepotError) -> sending Opened {
    if configuration.isReadOnly {
      guard configuration.cluster == nil else {
        throw DepotError.unsupported("read-only stores")
          .hint("Give this user the right to read only, with --read-only-user.")
      }
      return try openForReading()
    }
    do throws(DepotError) {
      return try openForWriting()
    } catch {
      guard configuration.fallsBackToReading, configuration.cluster == nil,
        [.readOnly, .filePermission].contains(error.code)
      else { throw error }
      do throws(DepotError) {
        return try openForReading()
      } catch let other {
        throw other.code == .fileNotFound ? error : other
      }
    }
  }

  private func openForWriting() throws(DepotError) -> sending Opened {
    let lock = if let lock { lock } else { try StoreFiles(path).lock() }
    StoreFiles(path).removeLeftovers()
    let home = try configuration.cluster.map { (address) throws(DepotError) in
      try copy(address, lock)
    }
    try prove()
    do {
      let connection = try Connection(path: path, access: .writer)
      try prepare(connection)
      try TextFunctions.register(on: connection)
      let writer = try Writer(connection, configuration, home)
      StoreCopies(of: path).settle(writer.catalog.schema.version)
      return Opened(
        writer: writer,
        catalog: writer.catalog,
        lock: lock,
        identifier: try writer.tables.storeIdentifier(),
        epochs: writer.epoch.chain,
        interest: writer.recorder.interest
      )
    } catch {
      throw StoreFiles(path).error(error)
    }
  }

  /// Makes the file a local copy of a store in a cluster.
  private func copy(
    _ address: ClusterAddress,
    _ lock: FileLock
  ) throws(DepotError) -> ClusterCommitTarget {
    do throws(DepotError) {
      return try ClusterCopy(address: address, path: path).open { path throws(DepotError) in
        var fresh = configuration
        fresh.cluster = nil
        fresh.isScratch = true
        let opened = try StoreOpening(fresh, lock).open()
        do {
          try opened.writer?.close()
        } catch {
          throw StoreFiles(path).error(error)
        }
      }
    } catch {
      StoreFiles(path).remove()
      throw error
    }
  }

  private func openForReading() throws(DepotError) -> sending Opened {
    let files = StoreFiles(path)
    let lock = try files.lockForReading()
    try proveReadable()
    do {
      let connection = try Connection(path: path, access: .frozen)
      guard try files.checkVersion(connection) else {
        throw DepotError(.corrupt, "\(path) is empty.").hint("Open it for writing once.")
      }
      try examine(connection)
      let tables = CatalogTables(connection: connection)
      let identifier = try tables.storeIdentifier()
      return Opened(
        writer: nil,
        catalog: try tables.load(),
        lock: lock,
        identifier: identifier,
        epochs: EpochChain(store: identifier, try EpochTable(connection: connection).all())
      )
    } catch {
      throw files.error(error)
    }
  }

  /// Checks that nothing is missing, and creates or repairs the files where needed.
  private func prove() throws(DepotError) {
    let files = StoreFiles(path)
    let evidence = try files.evidence()
    var finding = evidence.finding
    if case .loss(let loss) = finding {
      guard configuration.acceptsLoss else { throw files.error(loss) }
      finding = try files.accept(loss)
    }
    switch finding {
    case .none:
      if evidence.main == .begun { try files.setAsideBeginning() }
      if keepsState { try files.keepState(stamp: 0) }
      try files.create()
    case .unknown: if keepsState { try files.keepState(stamp: evidence.stamp) }
    case .firstPageIsInLog, .firstPageIsTorn: try files.repairFirstPage(evidence)
    case .sound: break
    case .damaged: throw files.firstPageIsDamaged
    case .loss(let loss): throw files.error(loss)
    }
    do throws(SystemError) {
      if keepsState { _ = try StateFile.open(beside: path) }
    } catch {
      throw DepotError(error, file: StateFile.path(of: path))
    }
  }

  /// Whether the store has a state file.
  private var keepsState: Bool { !configuration.isTemporary && !configuration.isScratch }

  /// Checks that there is a store and nothing of it is missing, for reading only.
  private func proveReadable() throws(DepotError) {
    let files = StoreFiles(path)
    let evidence = try files.evidence()
    switch evidence.finding {
    case .sound, .unknown: break
    case .none where evidence.main != .missing:
      throw DepotError(.corrupt, "\(path) is empty.").hint("Open it for writing once.")
    case .none:
      throw DepotError(.fileNotFound, "There is no store at \(path).")
        .hint("A store that is opened for reading only isn't made.")
    case .firstPageIsInLog:
      throw DepotError(.readOnly, "The first page of the store \(path) is damaged.")
        .hint("Open it for writing once: its log has the page.")
    case .firstPageIsTorn:
      throw DepotError(.readOnly, "The first page of the store \(path) is half written.")
        .hint("Open it for writing once: the rest of it is known.")
    case .damaged: throw files.firstPageIsDamaged
    case .loss(let loss): throw files.error(loss)
    }
  }

  private func prepare(_ connection: Connection) throws {
    let tables = CatalogTables(connection: connection)
    let mustCreate = try !StoreFiles(path).checkVersion(connection)
    if mustCreate { try connection.execute("PRAGMA page_size = \(configuration.pageSize)") }
    try connection.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = \(configuration.isTemporary || configuration.isScratch ? "OFF" : "FULL");
      PRAGMA cell_size_check = ON;
      PRAGMA mmap_size = 0;
      PRAGMA foreign_keys = OFF;
      PRAGMA temp_store = FILE;
      PRAGMA cache_size = -16384;
      """
    )
    do throws(SQLiteError) {
      _ = try connection.checkpoint(.truncate)
    } catch {
      // If the disk is full, the log stays as it is, and can be read.
      guard error.isWantOfRoom, !mustCreate else { throw error }
    }
    if mustCreate {
      return try tables.create(
        configuration.clocks.read(),
        with: [IdempotencyTable.definition, HistoryTable.definition, HistoryBounds.definition]
      )
    }
    try examine(connection)
  }

  /// Checks all pages of a small store.
  private func examine(_ connection: Connection) throws {
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    if configuration.acceptsLoss
      || Int(pages) * connection.pageSize <= configuration.quickCheckLimitBytes
    {
      // A damaged page causes errors only for its readers; everything else can be used.
      var problems: [String]
      do throws(SQLiteError) {
        problems = try connection.texts("PRAGMA quick_check(10)")
      } catch {
        guard error.kind == .damaged else { throw error }
        problems = []
      }
      if problems == ["ok"] { return }
      guard try !connection.damagedPages().isEmpty else {
        throw StoreFiles(path).damaged(problems)
      }
    }
  }
}
