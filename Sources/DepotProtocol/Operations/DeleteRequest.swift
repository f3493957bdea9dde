/// Rows to delete.
@Memberwise
public struct DeleteRequest: Hashable, Sendable {
  public var entity: String
  public var rows: RowSelection
  /// Whether rows of subentities are deleted too.
  public var includesSubentities: Bool = true
  /// Whether the reply lists the identifiers of the rows that were deleted.
  public var returnsIdentifiers: Bool = false
  /// The most rows that one transaction deletes; `nil` to delete all in one.
  ///
  /// If a chunk fails, the rows deleted by earlier chunks stay deleted.
  public var chunk: Int?
}

extension DeleteRequest: MemberObject {
  static var blank: Self { Self(entity: "", rows: .identifiers([])) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.variables()
    try coder.required("entity", &entity)
    try coder.rows(&rows)
    try coder.value("subentities", &includesSubentities, default: true)
    try coder.value("returnIds", &returnsIdentifiers, default: false)
    try coder.number("chunk", &chunk, in: Limits.chunk)
  }
}
