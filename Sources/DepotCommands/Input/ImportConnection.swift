internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// The connection of an import, which is made anew when the service ends and another takes its place.
///
/// Each change has an idempotency key, so that one whose outcome nobody knows is sent again and applied once.
@Memberwise("connection", "session")
final class ImportConnection {
  private var connection: BlockingConnection
  private var session: CommandSession
  /// The beginning of this import's keys.
  private let prefix = "import:" + String(UInt64.random(in: .min ... .max), radix: 16)
  private var sent = 0

  /// How long to wait for another service, in nanoseconds.
  private static let patience: UInt64 = 30_000_000_000

  /// The save that was sent last: its key, and its id if it could be sent at once.
  private var underway: (request: SaveRequest, key: String, id: Int64?)?

  /// Sends changes, which are stored once, and whose outcome ``finish()`` tells.
  func begin(_ request: SaveRequest, key: String?) {
    let key = key ?? nextKey()
    // If it is too large or the service is gone, `finish` finds another way.
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

  /// The rows that were sent, with their keys, and the ids of the calls that could be sent at once.
  private var rowsUnderway: [(request: InsertRequest, key: String, id: Int64?)] = []

  /// Sends rows, which are stored once, and only if those are that were sent before; ``finishRows()`` tells the
  /// outcome.
  func begin(_ request: InsertRequest) {
    let key = nextKey()
    let before = rowsUnderway.last
    // Rows after unsent rows wait with them.
    let id =
      before == nil || before?.id != nil
      ? try? connection.begin(request, key: key, after: before?.id) : nil
    rowsUnderway.append((request, key, id))
  }

  /// Waits for the outcome of the rows that were sent first.
  ///
  /// If they aren't stored, those behind them that couldn't be sent yet aren't sent either.
  func finishRows() throws -> InsertResult {
    do {
      return try finishFirstRows()
    } catch {
      rowsUnderway.removeAll { $0.id == nil }
      throw error
    }
  }

  private func finishFirstRows() throws -> InsertResult {
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

  /// Gives the changes another group in the history.
  func use(group: String) {
    session.group = group
    connection.group = group
  }

  private func nextKey() -> String {
    sent += 1
    return "\(prefix):\(sent)"
  }

  /// Asks the service for something, and asks the next one again if it ends meanwhile.
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
    session.say("The service has ended; the import goes on with the next one.")
    let limit = Monotonic.now() + Self.patience
    while true {
      do throws(DepotError) {
        connection = try session.connect()
        return
      } catch {
        guard error.isEndOfService, Monotonic.now() < limit, !session.interruption.isRaised else {
          var failure = error.isEndOfService ? end : error
          failure.hint = Importer.resumeAdvice
          throw failure
        }
      }
      Process.sleep(milliseconds: 50)
    }
  }
}

extension DepotError {
  /// Whether the service has ended or is about to, so that another may answer soon.
  fileprivate var isEndOfService: Bool {
    [.draining, .disconnected, .noService].contains(code)
  }
}
