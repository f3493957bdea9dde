public import DepotProtocol

/// An event of a watch.
public enum LiveEvent<Content: Sendable>: Sendable {
  /// The whole result: at first, and when the changes since the event before are unknown.
  case snapshot(LiveRows<Content>)
  /// The differences since a token; only if the watch began with a token, without rows.
  case resumed(LiveResumption<Content>)
  /// The changes since the event before.
  case change(LiveChange<Content>)
  /// Nothing changed up to a token.
  case current(HistoryToken)
  /// The connection was lost; the watch continues after the last event once there is one again.
  case interrupted(DepotError)
}

extension LiveEvent {
  /// The token up to which the event brings the result.
  public var token: HistoryToken? {
    switch self {
    case .snapshot(let rows): rows.token
    case .resumed(let resumption): resumption.token
    case .change(let change): change.token
    case .current(let token): token
    case .interrupted: nil
    }
  }
}

/// A result, for a client that has the rows of an earlier one.
public struct LiveResumption<Content: Sendable>: Sendable {
  public let token: HistoryToken
  /// The rows of the result that changed since then or weren't in it, in the order of the result.
  public let rows: [LiveRow<Content>]
  /// The identifiers of all rows of the result, in its order.
  public let order: [Int64]
}
