internal import DepotProtocol

/// The next part of a watch.
enum WatchPart: Sendable {
  case frame([UInt8])
  /// The connection was lost; the next frames come from another.
  case interrupted(DepotError)
}

/// The frames of a watch, which continues after a lost connection.
///
/// The reader interprets the frames and supplies the token up to which it has everything.
@Memberwise("client", "request")
struct WatchStream {
  /// How often in a row a watch may be lost before its first frame, until it is likely that the
  /// watch itself breaks connections.
  private static let attemptLimit = 5

  private let client: Client
  private let request: WatchRequest
  private var call: OpenCall?
  private var attempts: Int = 0
  /// Whether the interruption was reported.
  private var isInterrupted: Bool = false
  /// How often the client had given up reconnecting before the call.
  private var reconnectFailures: Int = 0

  /// Waits for the next part.
  ///
  /// - Parameter token: The token up to which everything was received; `nil` if nothing was.
  /// - Returns: A frame, or that the connection was lost.
  /// - Throws: ``DepotError`` if the watch fails, `CancellationError` if the task was cancelled.
  mutating func next(since token: HistoryToken?) async throws -> WatchPart {
    while true {
      do {
        switch try await client.core.nextFrame(ticket(since: token)) {
        case .frame(let frame):
          attempts = 0
          isInterrupted = false
          return .frame(frame.bytes)
        case .end:
          try Task.checkCancellation()
          throw DepotError(.disconnected, "The service ended the watch.")
        }
      } catch let error as DepotError where canGoOn(after: error) {
        call = nil
        guard !isInterrupted else { continue }
        isInterrupted = true
        return .interrupted(error)
      } catch {
        call = nil
        throw error
      }
    }
  }

  /// Drops the call, which the next part makes again.
  mutating func restart() { call = nil }

  /// Returns the ticket of the call, which is made if there is none.
  private mutating func ticket(since token: HistoryToken?) throws -> ReplyTable.Ticket {
    if let call { return call.ticket }
    var request = request
    request.since = token ?? request.since
    attempts += 1
    reconnectFailures = client.core.reconnectFailures
    let call = try OpenCall(client, .watch(request))
    self.call = call
    return call.ticket
  }

  /// Whether another call can be made after an error.
  func canGoOn(after error: DepotError) -> Bool {
    [.disconnected, .draining, .streamExpired].contains(error.code) && attempts < Self.attemptLimit
      && client.core.reconnectFailures == reconnectFailures && !client.core.isClosed
  }
}

extension ClientCore {
  /// How often reconnecting was given up.
  fileprivate var reconnectFailures: Int { update { state in state.reconnectFailures } }
}
