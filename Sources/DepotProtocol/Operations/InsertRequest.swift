/// Rows to insert.
@Memberwise
public struct InsertRequest: Hashable, Sendable {
  /// The policy for a row that has the same value in a unique attribute as another.
  public enum OnConflict: String, Hashable, Sendable, CaseIterable {
    /// Fail with `conflict.unique`.
    case error
    /// Leave the other row as it is.
    case skip
    /// Give the other row the new values of the named attributes; it keeps its identifier.
    case replace
  }

  public var entity: String
  /// The attributes of each row's values, in order.
  public var columns: [String]
  /// The values.
  public var rows: RowBatch
  public var onConflict: OnConflict = .error
  /// Whether a row that can't be stored is left out and reported, rather than failing the request.
  public var reportsRejects: Bool = false
  /// Whether the result lists the rows' identifiers.
  public var returnsIdentifiers: Bool = true
}

extension InsertRequest: MemberObject {
  static var blank: Self { Self(entity: "", columns: [], rows: RowBatch()) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("entity", &entity)
    try coder.value("columns", &columns, default: [], isAlwaysWritten: true)
    try coder.value("onConflict", &onConflict, default: .error)
    try coder.value("rejects", &reportsRejects, default: false)
    try coder.value("returnIds", &returnsIdentifiers, default: true)
    try coder.required("rows", &rows)
  }
}

extension InsertRequest.OnConflict: MemberChoice {}
