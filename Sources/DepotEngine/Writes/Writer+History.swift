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

  /// Executes a request about the history itself, and returns the members for the result.
  func keepHistory(_ operation: Operation) throws -> [String: JSONValue] {
    let bounds = try HistoryBounds(on: connection)
    switch operation {
    case .deleteHistory(let moment):
      let end: Int64
      if case .token(let token) = moment {
        // The transaction of the token stays, so the purge ends before it.
        let last = token.advanced(by: -1)
        try bounds.checkOrigin(last, at: "/args/before")
        end = max(last.sequence, bounds.purged)
      } else {
        end = try bounds.sequence(of: moment, at: "/args/before", on: connection)
      }
      let count = try HistoryPurge(tables, catalog).forget(through: end)
      if count > 0 { hasForgottenHistory = true }
      let after = try HistoryBounds(on: connection)
      return ["deleted": .int64(Int64(count)), "oldest": after.details["oldest"] ?? .null]
    case .acknowledgeHistory(let position):
      try bounds.check(position.token, at: "/args/token")
      try HistoryConsumers(connection: connection).set(
        position.consumer,
        position.token.sequence,
        at: epoch.date(epoch.now())
      )
      return [
        "consumer": .string(position.consumer), "position": .string(position.token.description),
      ]
    case .forgetConsumer(let name):
      guard try HistoryConsumers(connection: connection).forget(name) else {
        throw DepotError(.usage, "The history has no consumer \(name.quoted).")
          .hint("See history.status.").at("/args/consumer")
      }
      return [:]
    default:
      throw DepotError(.bug, "\(operation.name) isn't about the history.")
    }
  }
}
