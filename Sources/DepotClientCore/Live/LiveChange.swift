public import DepotProtocol

/// The differences between two states of a watched result.
///
/// To apply it by hand: take out the rows that are ``removed`` and the rows of ``placed`` that were
/// there before, then insert the rows of ``placed``, in their order. ``LiveRows/apply(_:)`` does
/// that.
@Memberwise
public struct LiveChange<Content: Sendable>: Sendable {
  /// A row that is in the result no more: deleted, no longer satisfying the predicate, or beyond the
  /// limit.
  @Memberwise
  public struct Removal: Hashable, Sendable {
    public let identifier: Int64
    /// Its position in the result before the change.
    public let from: Int
  }

  /// A row that entered the result, or has other values or another position.
  @Memberwise
  public struct Placement: Sendable {
    /// The row as it is now.
    public let row: LiveRow<Content>
    /// Its position in the result after the change.
    public let at: Int
    /// Its position in the result before the change; `nil` if it wasn't in it.
    public let from: Int?
    /// The names of the properties that changed; `nil` if the row is new here or that is unknown.
    public let properties: [String]?

    /// Whether the row wasn't in the result before.
    public var isInsertion: Bool { from == nil }
  }

  /// The token after the change.
  public let token: HistoryToken
  /// The author, if there was a single one who gave a name.
  public let author: String?
  /// The rows that left the result, with their positions before.
  public private(set) var removed: [Removal] = []
  /// The rows that entered the result or changed, by their new positions.
  public private(set) var placed: [Placement] = []
}

extension LiveChange {
  /// Whether nothing is different.
  public var isEmpty: Bool { removed.isEmpty && placed.isEmpty }

  /// The rows that entered the result.
  public var inserted: [LiveRow<Content>] { placed.filter(\.isInsertion).map(\.row) }

  /// The rows that were in the result, and have other values or positions now.
  public var updated: [LiveRow<Content>] { placed.filter { !$0.isInsertion }.map(\.row) }
}
