internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite
internal import Glibc

/// The steps that prove, before anything is served, that a store can be relied on.
///
/// They are in this order because closing a file ends SQLite's own locks on it: whatever reads the
/// files directly comes before SQLite opens them.
struct StoreOpening {
  struct Opened {
    /// `nil` if nothing may be written.
    var writer: Writer?
    var catalog: Catalog
    /// `nil` if the file can't be locked and nothing is written.
    var lock: FileLock?
    var identifier: String
    var interest = ChangeInterest()
  }

  let configuration: StoreConfiguration
  /// The lock on the file, if this process has it.
  private let lock: FileLock?
  private var path: String { configuration.path }

  init(_ configuration: StoreConfiguration, _ lock: FileLock? = nil) {
    self.configuration = configuration
    self.lock = lock
  }

  func open() throws(DepotError) -> sending Opened {
    if configuration.isReadOnly { return try openForReading() }
    let lock = if let lock { lock } else { try StoreFiles(path).lock() }
    StoreFiles(path).removeLeftovers()
    if try !StoreFiles(path).prove() { try StoreFiles(path).create() }
    do {
      let connection = try Connection(path: path, access: .writer)
      try prepare(connection)
      try TextFunctions.register(on: connection)
      let writer = try Writer(connection, configuration)
      StoreCopies(of: path).settle(writer.catalog.schema.version)
      return Opened(
        writer: writer,
        catalog: writer.catalog,
        lock: lock,
        identifier: try writer.tables.storeIdentifier(),
        interest: writer.recorder.interest
      )
    } catch let error as DepotError {
      throw error
    } catch let error as SQLiteError {
      throw StoreFiles(path).error(error)
    } catch {
      throw DepotError(.bug, "\(error)")
    }
  }

  private func openForReading() throws(DepotError) -> sending Opened {
    let files = StoreFiles(path)
    let lock = try files.lockForReading()
    try files.proveReadable()
    do {
      let connection = try Connection(path: path, access: .frozen)
      guard try files.checkVersion(connection) else {
        throw DepotError(.corrupt, "\(path) is empty.").hint("Open it for writing once.")
      }
      try examine(connection)
      let tables = CatalogTables(connection: connection)
      return Opened(
        writer: nil,
        catalog: try tables.load(),
        lock: lock,
        identifier: try tables.storeIdentifier()
      )
    } catch let error as DepotError {
      throw error
    } catch let error as SQLiteError {
      throw files.error(error)
    } catch {
      throw DepotError(.bug, "\(error)")
    }
  }

  private func prepare(_ connection: Connection) throws {
    let tables = CatalogTables(connection: connection)
    let mustCreate = try !StoreFiles(path).checkVersion(connection)
    if mustCreate { try connection.execute("PRAGMA page_size = 4096") }
    try connection.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = \(configuration.isInMemory || configuration.isScratch ? "OFF" : "FULL");
      PRAGMA cell_size_check = ON;
      PRAGMA mmap_size = 0;
      PRAGMA foreign_keys = OFF;
      PRAGMA temp_store = FILE;
      PRAGMA cache_size = -8192;
      """
    )
    guard try connection.checkpoint(.truncate) else {
      throw DepotError(.busy, "Another program has the store \(path) open.")
        .hint("Nothing but depotd may open a live store.")
    }
    if mustCreate { return try tables.create() }
    try tables.upgrade()
    try examine(connection)
  }

  /// Looks at all pages of a small store.
  private func examine(_ connection: Connection) throws {
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    if Int(pages) * 4096 <= configuration.quickCheckLimitBytes {
      let problems = try connection.texts("PRAGMA quick_check(10)")
      guard problems == ["ok"] else { throw StoreFiles(path).damaged(problems) }
    }
  }
}
