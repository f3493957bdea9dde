package import DepotLinux

/// Where a store is and how it behaves.
package struct StoreConfiguration: Sendable {
  /// The path of the database's file; beside it are its log and its lock.
  package var path: String
  /// The size of the write-ahead log beyond which it is copied into the database, in bytes.
  ///
  /// A page that changes often is copied once for all its changes in the log.
  package var walLimitBytes = 16 << 20
  /// The size of the file up to which all its pages are looked at when it is opened, in bytes.
  package var quickCheckLimitBytes = 4 << 20
  /// How much of its history is kept.
  package var history = HistoryRetention()
  /// The clocks that tell the time.
  package var clocks = Clocks.system

  /// The database of the store, with the file as a local copy; `nil` if the store is the file.
  package var cluster: ClusterAddress?

  /// Whether the file is on a file system in memory, and goes away when the store is closed.
  package var isInMemory: Bool
  /// Whether it is a copy that is flushed only when it takes the place of another store.
  package var isScratch = false
  /// Whether nothing may be written.
  package var isReadOnly: Bool
  /// Whether to open it for reading only if it can't be written.
  package var fallsBackToReading = false
  /// Whether to open the remaining data if a part of the store is lost.
  package var acceptsLoss = false

  package init(path: String, isInMemory: Bool = false, isReadOnly: Bool = false) {
    self.path = path
    self.isInMemory = isInMemory
    self.isReadOnly = isReadOnly
  }

  /// Whether the file goes away when the store is closed.
  package var isTemporary: Bool { isInMemory || cluster != nil }

  /// Copies the log early enough that it stays below a size, in bytes, at which reads are ended for it.
  package mutating func bound(logBytes: Int) {
    walLimitBytes = min(walLimitBytes, logBytes / 2)
  }
}
