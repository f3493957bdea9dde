internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// The connection of an import, which reconnects if another service replaces the first.
///
/// Each change has an idempotency key, so that a change with an unknown outcome is sent again and
/// applied once.
@Memberwise("connection", "session")
final class ImportConnection {
  private var connection: BlockingConnection
  private var session: CommandSession
  /// The prefix of this import's keys.
  private let prefix = "import:" + String(UInt64.random(in: .min ... .max), radix: 16)
  private var sent = 0

  /// The time to wait for another service, in nanoseconds.
  private static let patience: UInt64 = 30_000_000_000

  /// The save sent last: its key, and its id if it was sent at once.
  private var underway: (request: SaveRequest, key: String, id: Int64?)?

  /// Sends changes, which are stored once; ``finish()`` returns their outcome.
  func begin(_ request: SaveRequest, key: String?) {
    let key = key ?? nextKey()
    // If it is too large or the service is gone, `finish` sends it otherwise.
    let id = try? connection.begin(request, key: key)
    underway = (request, key, id)
  }

  /// Waits for the outcome of the changes that were sent.
  func finish() throws -> SaveResult {
    guard let (request, key, id) = underway else {
      throw DepotError(.bug, "No save was sent.")
    }
    underway = nil
    if let id {
      do {
        return try connection.finish(id, of: request)
      } catch let error as DepotError where error.isEndOfService {
        try reconnect(after: error)
      }
    }
    return try attempt { try $0.save(request, key: key) }
  }

  /// The sent rows with their keys, and the ids of the calls that were sent at once.
  private var rowsUnderway: [(request: InsertRequest, key: String, id: Int64?)] = []
  /// The number of begun calls that won't be sent, because earlier rows aren't stored.
  private var givenUp = 0

  /// Sends rows, which are stored once, and only if all rows sent before are stored.
  ///
  /// ``finishRows()`` returns the outcome.
  func begin(_ request: InsertRequest) {
    let key = nextKey()
    let before = rowsUnderway.last
    // Rows after unsent rows wait with them.
    let id =
      before == nil || before?.id != nil
      ? try? connection.begin(request, key: key, after: before?.id) : nil
    rowsUnderway.append((request, key, id))
  }

  /// Waits for the outcome of the oldest sent rows.
  ///
  /// If they aren't stored, later rows that are still unsent aren't sent either.
  func finishRows() throws -> InsertResult {
    do {
      return try finishFirstRows()
    } catch {
      let count = rowsUnderway.count
      rowsUnderway.removeAll { $0.id == nil }
      givenUp += count - rowsUnderway.count
      throw error
    }
  }

  private func finishFirstRows() throws -> InsertResult {
    if rowsUnderway.isEmpty, givenUp > 0 {
      givenUp -= 1
      throw DepotError(.cancelled, "The rows before them failed, so that these weren't sent.")
    }
    guard !rowsUnderway.isEmpty else { throw DepotError(.bug, "No rows were sent.") }
    let (request, key, id) = rowsUnderway.removeFirst()
    if let id {
      do {
        return try connection.finishInsert(id, isLast: rowsUnderway.first?.id == nil)
      } catch let error as DepotError where error.isEndOfService {
        for index in rowsUnderway.indices { rowsUnderway[index].id = nil }
        try reconnect(after: error)
      }
    }
    return try attempt { try $0.insert(request, key: key) }
  }

  /// Puts later changes into another group of the history.
  func use(group: String) {
    session.group = group
    connection.group = group
  }

  private func nextKey() -> String {
    sent += 1
    return "\(prefix):\(sent)"
  }

  /// Runs `body`, and again with the next service if the present one ends meanwhile.
  ///
  /// - Throws: An error of `body`, or the ``DepotError`` of the end if no other service answers in
  ///   time.
  func attempt<Result>(_ body: (BlockingConnection) throws -> Result) throws -> Result {
    while true {
      do {
        return try body(connection)
      } catch let error as DepotError where error.isEndOfService {
        try reconnect(after: error)
      }
    }
  }

  private func reconnect(after end: DepotError) throws {
    session.say("The service has ended; the import continues with the next one.")
    let limit = Monotonic.now() + Self.patience
    while true {
      do throws(DepotError) {
        connection = try session.connect()
        return
      } catch {
        guard error.isEndOfService, Monotonic.now() < limit, !session.interruption.isRaised else {
          var failure = error.isEndOfService ? end : error
          failure.hint = ImportAdvice.resume
          throw failure
        }
      }
      Process.sleep(milliseconds: 50)
    }
  }
}

extension DepotError {
  /// Whether the service has ended or is ending, so that another may answer soon.
  fileprivate var isEndOfService: Bool {
    [.draining, .disconnected, .noService].contains(code)
  }
}
