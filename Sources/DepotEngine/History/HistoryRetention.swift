internal import DepotProtocol

/// How much of its history a store keeps.
@Memberwise
package struct HistoryRetention: Hashable, Sendable {
  /// How long transactions are kept, in seconds.
  package var age: Double = 30 * 86400
  /// How much of it is kept, in bytes; a little more at times.
  package var bytes: Int64 = 1 << 30
  /// How long what a consumer hasn't read is kept, in seconds, whatever the other limits say.
  package var consumerAge: Double = 7 * 86400

  /// The facts from which a decision about the history is made.
  struct Facts {
    /// The last transaction that is older than ``HistoryRetention/age``.
    var lastOld: Int64
    /// The last transaction that is too much by ``HistoryRetention/bytes``.
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
