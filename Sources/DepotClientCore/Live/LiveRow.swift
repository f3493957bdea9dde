internal import DepotProtocol

/// One row of a watched result.
@Memberwise
public struct LiveRow<Content: Sendable>: Sendable {
  public let identifier: Int64
  /// The row's version when it was told last.
  ///
  /// It may have grown since, by changes of what wasn't asked for.
  public let version: Int64
  /// Its selected values: a record, as a rule.
  public let content: Content
}

extension LiveRow: Equatable where Content: Equatable {}
extension LiveRow: Hashable where Content: Hashable {}

extension LiveRow where Content: Record {
  /// The identifier of the record.
  public var id: Identifier<Content> { Identifier(identifier) }
}
