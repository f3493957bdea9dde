internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

extension Writer {
  /// The number of bytes that may be written before the history's size is stored.
  private static let countedBytes: Int64 = 64 << 10

  /// The growth in bytes after which history kept for consumers is examined again.
  private static let heldStep: Int64 = 8 << 20

  /// Whether there is history to delete, or uploads of ended connections.
  var isPurgeDue: Bool {
    // History kept for consumers isn't examined after each commit.
    let limit = max(configuration.history.bytes, heldHistoryBytes + Self.heldStep)
    return hasForgottenHistory || !endedUploads.isEmpty
      || historyBytes > (heldHistoryBytes > 0 ? limit : configuration.history.bytes)
  }

  /// Deletes some expired history and uploads of ended connections and services, in a transaction.
  ///
  /// It returns whether there is more to delete.
  func purgeHistory() throws(SQLiteError) -> Bool {
    // The clocks must be read even while nothing is written.
    let now = epoch.now()
    guard prepared == nil else { return false }
    do {
      // Other services' long writes, and waiting requests here, come first.
      try acquireClusterLock(for: CallControl(deadline: Monotonic.now() + 1_000_000_000))
      noteHistoryBytes()
      try connection.begin()
      let purge = HistoryPurge(tables, catalog)
      let step = try purge.step(configuration.history, now: now, bytes: historyBytes)
      historyBytes = max(0, historyBytes - step.bytes)
      if step.bytes > 0 { try storeHistoryBytes() }
      let uploads = BlobUploads(connection: connection)
      let isEmpty = try endedUploads.first.map {
        try !uploads.removeSome(ofConnection: $0, catalog)
      }
      for service in try commitTarget?.takeEndedServices() ?? [] {
        let connections = WriteRequest.connections(of: service)
        try uploads.remove(ofConnections: connections, catalog)
      }
      try connection.commit()
      keepHistoryBytes()
      commitTarget?.releaseWriteLock()
      if isEmpty == true { endedUploads.removeFirst() }
      hasForgottenHistory = step.hasMore
      let isHeld = !step.hasMore && historyBytes > configuration.history.bytes
      heldHistoryBytes = isHeld ? historyBytes : 0
      statistics.walBytes = connection.walBytes
      return step.hasMore || !endedUploads.isEmpty
    } catch {
      try endTransaction()
      hasForgottenHistory = false
      let error = error as? SQLiteError
      guard let error, error.kind == .broken else { return false }
      throw error
    }
  }

  /// Stores the size that transactions have added to the history, if it is large enough.
  func countHistory() throws {
    historyBytes += recorder.history.takeAddedBytes()
    guard historyBytes - storedHistoryBytes > Self.countedBytes else { return }
    try storeHistoryBytes()
  }

  func storeHistoryBytes() throws {
    try tables.set(.historyBytes, historyBytes)
    storedHistoryBytes = historyBytes
  }
}
