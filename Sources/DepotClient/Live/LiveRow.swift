/// One row of a watched result.
public struct LiveRow<Content: Sendable>: Sendable {
  public let identifier: Int64
  /// The row's version when it was told last.
  ///
  /// It may have grown since, by changes of what wasn't asked for.
  public let version: Int64
  /// What was selected of it: a record, as a rule.
  public let content: Content

  /// Creates a row.
  public init(identifier: Int64, version: Int64, content: Content) {
    self.identifier = identifier
    self.version = version
    self.content = content
  }
}

extension LiveRow: Equatable where Content: Equatable {}
extension LiveRow: Hashable where Content: Hashable {}

extension LiveRow where Content: Record {
  /// The identifier of the record.
  public var id: Identifier<Content> { Identifier(identifier) }
}
