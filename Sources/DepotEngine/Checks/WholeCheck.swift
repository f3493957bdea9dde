internal import DepotProtocol
internal import DepotSQLite

/// Checks every page and row of a store, in the snapshot of one transaction.
struct WholeCheck {
  /// Messages about the problems; none if the store is undamaged.
  private(set) var problems: [String] = []
  /// The number of pages that were read.
  private(set) var pageCount = 0

  /// Checks everything in the transaction that ``Connection/beginReading()`` began.
  ///
  /// - Parameters:
  ///   - connection: A connection that has the functions of predicates.
  ///   - catalog: A closure that reads the schema in the transaction.
  ///   - isShared: Whether other requests run meanwhile, so that steps should be short.
  ///   - check: A closure that is called between steps; an error of it ends the check.
  /// - Throws: The error of `check`, or ``SQLiteError``.
  init(
    _ connection: Connection,
    _ catalog: () throws -> Catalog,
    isShared: Bool,
    _ check: () throws -> Void
  ) throws {
    let pages = try SnapshotPages(connection)
    pageCount = pages?.count ?? 0
    // Rows in a damaged page can't be checked.
    let damaged = try pages?.damaged(check) ?? []
    guard damaged.isEmpty else {
      problems = damaged.map(\.description)
      return
    }
    let parts =
      isShared
      ? try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .map { "(\"\($0)\")" }
      : [""]
    for part in parts {
      try check()
      problems += try connection.texts("PRAGMA integrity_check" + part).filter { $0 != "ok" }
    }
    try check()
    let catalog = try catalog()
    var rows = StoreCheck(catalog, on: connection)
    try rows.run()
    problems += rows.problems
    try check()
    problems += try HistoryCheck(connection: connection).run()
    problems += try SchemaVersions(connection: connection).problems(present: catalog)
    for layout in catalog.tables {
      try check()
      problems += try BlobCheck(layout, catalog, connection).run()
    }
    problems += try BlobCheck.strays(catalog, connection)
  }
}
