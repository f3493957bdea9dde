/// A description of the rows to count.
@Memberwise
public struct CountRequest: Hashable, Sendable {
  public var entity: String
  public var predicate: QueryExpression?
  /// Whether rows of subentities count too.
  public var includesSubentities: Bool = true
}

extension CountRequest: MemberObject, RowRequest {
  static var blank: Self { Self(entity: "") }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.rows(&self)
  }
}
