internal import DepotProtocol

/// The limits of a store's history.
@Memberwise
package struct HistoryRetention: Hashable, Sendable {
  /// The time in seconds for which transactions are kept.
  package var age: Double = 30 * 86400
  /// The size of the history in bytes, which may be exceeded a little; kept values have the same.
  package var bytes: Int64 = 1 << 30
  /// The time in seconds for which transactions unread by a consumer are kept in any case.
  package var consumerAge: Double = 7 * 86400

  /// The facts for a decision about the history.
  struct Facts {
    /// The last transaction that is older than ``HistoryRetention/age``.
    var lastOld: Int64
    /// The last transaction that exceeds ``HistoryRetention/bytes``.
    var lastSurplus: Int64
    /// The least position of a consumer; `nil` if there is none.
    var leastPosition: Int64?
    /// The last transaction that is older than ``HistoryRetention/consumerAge``.
    var lastPastWaiting: Int64
  }

  /// Returns the last transaction that isn't kept.
  static func end(_ facts: Facts) -> Int64 {
    let end = max(facts.lastOld, facts.lastSurplus)
    guard let position = facts.leastPosition, position < end else { return end }
    return min(end, max(position, facts.lastPastWaiting))
  }
}
