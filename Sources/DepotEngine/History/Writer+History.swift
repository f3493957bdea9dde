internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

extension Writer {
  /// How many bytes may be written before their number is stored.
  private static let countedBytes: Int64 = 64 << 10

  /// How many bytes more than those that were held back are worth another look.
  private static let heldStep: Int64 = 8 << 20

  /// Whether there is history to delete.
  var isHistoryPurgeDue: Bool {
    // What consumers hold back isn't looked at after each commit.
    let limit = max(configuration.history.bytes, heldHistoryBytes + Self.heldStep)
    return hasForgottenHistory
      || historyBytes > (heldHistoryBytes > 0 ? limit : configuration.history.bytes)
  }

  /// Deletes some history if there is too much of it, in a transaction of its own.
  ///
  /// - Returns: Whether there is more to delete.
  /// - Throws: ``SQLiteError`` after which nobody knows what is on disk.
  func purgeHistory(now: Double) throws(SQLiteError) -> Bool {
    guard prepared == nil else { return false }
    do {
      try connection.statement("BEGIN IMMEDIATE").runBound()
      let purge = HistoryPurge(tables, catalog)
      let step = try purge.step(configuration.history, now: now, bytes: historyBytes)
      historyBytes = max(0, historyBytes - step.bytes)
      if step.bytes > 0 { try storeHistoryBytes() }
      try connection.commit()
      hasForgottenHistory = step.hasMore
      let isHeld = !step.hasMore && historyBytes > configuration.history.bytes
      heldHistoryBytes = isHeld ? historyBytes : 0
      statistics.walBytes = connection.walPageCount * 4096
      return step.hasMore
    } catch {
      try endTransaction()
      hasForgottenHistory = false
      let error = error as? SQLiteError
      guard let error, error.kind == .broken else { return false }
      throw error
    }
  }

  /// Notes what transactions have added to the history, if it is much.
  func countHistory() throws {
    historyBytes += recorder.history.takeAddedBytes()
    guard historyBytes - storedHistoryBytes > Self.countedBytes else { return }
    try storeHistoryBytes()
  }

  func storeHistoryBytes() throws {
    try tables.setHistoryBytes(historyBytes)
    storedHistoryBytes = historyBytes
  }

  /// Does what a request about the history itself asks for.
  func keepHistory(_ operation: Operation, _ json: inout JSONWriter) throws {
    let bounds = try HistoryBounds(on: connection)
    switch operation {
    case .deleteHistory(let moment):
      let end: Int64
      if case .token(let token) = moment, token.store == bounds.store,
        token.sequence < bounds.purged
      {
        end = bounds.purged
      } else if case .token(let token) = moment, token == bounds.token(bounds.head + 1) {
        end = bounds.head
      } else {
        let sequence = try bounds.sequence(of: moment, at: "/args/before", on: connection)
        // What a token stands for is kept.
        if case .token = moment { end = sequence - 1 } else { end = sequence }
      }
      let count = try HistoryPurge(tables, catalog).forget(through: end)
      if count > 0 { hasForgottenHistory = true }
      let after = try HistoryBounds(on: connection)
      json.raw("{\"deleted\":")
      json.integer(count)
      json.raw(",\"oldest\":")
      json.write(after.details["oldest"] ?? .null)
      json.raw("}")
    case .acknowledgeHistory(let position):
      try bounds.check(position.token, at: "/args/token")
      try HistoryConsumers(connection).set(
        position.consumer,
        position.token.sequence,
        at: HistoryClock.now()
      )
      json.raw("{\"consumer\":")
      json.string(position.consumer)
      json.raw(",\"position\":")
      json.string(position.token.description)
      json.raw("}")
    case .forgetConsumer(let name):
      guard try HistoryConsumers(connection).forget(name) else {
        throw DepotError(.usage, "The history has no consumer \(name.debugDescription).")
          .hint("See history.status.").at("/args/consumer")
      }
      json.raw("{}")
    default:
      throw DepotError(.bug, "\(operation.name) isn't about the history.")
    }
  }
}

/// The time as the history has it.
enum HistoryClock {
  /// Seconds since 2001.
  static func now() -> Double { Double(WallClock.now()) - 978_307_200 }
}
