package import DepotLinux
internal import DepotSQLite

/// The path and options of a store.
package struct StoreConfiguration: Sendable {
  /// The path of the database's file; its log and lock are beside it.
  package var path: String
  /// The size of the write-ahead log in bytes from which it is copied into the database.
  ///
  /// A page that changes often is copied only once for all its changes in the log.
  package var walLimitBytes = 16 << 20
  /// The size in bytes of the pages, if the store is created.
  package var pageSize = DatabaseHeader.newPageSize
  /// The size in bytes up to which all pages of a file are checked when it is opened.
  package var quickCheckLimitBytes = 4 << 20
  /// The limits of the history.
  package var history = HistoryRetention()
  /// The size of changes that an undo has in memory.
  package var undo = UndoLimits()
  /// The clocks of the store.
  package var clocks = Clocks.system

  /// The cluster with the store, where the file is a local copy; `nil` if the file is the store.
  package var cluster: ClusterAddress?

  /// Whether the file is on a file system in memory, and is removed when the store is closed.
  package var isInMemory: Bool
  /// Whether it is a copy that is flushed only when it replaces another store.
  package var isScratch = false
  /// Whether to open it read-only.
  package var isReadOnly: Bool
  /// Whether to open it read-only if it can't be written.
  package var fallsBackToReading = false
  /// Whether to open the remaining data if a part of the store is lost.
  package var acceptsLoss = false

  package init(path: String, isInMemory: Bool = false, isReadOnly: Bool = false) {
    self.path = path
    self.isInMemory = isInMemory
    self.isReadOnly = isReadOnly
  }

  /// Whether the file is removed when the store is closed.
  package var isTemporary: Bool { isInMemory || cluster != nil }

  /// Lowers the log's limit so that readers needn't be ended at a log size of `logBytes`.
  package mutating func bound(logBytes: Int) {
    walLimitBytes = min(walLimitBytes, logBytes / 2)
  }
}
