/// Identifiers of the rows to get.
@Memberwise
public struct GetRequest: Hashable, Sendable {
  public var entity: String
  public var identifiers: [Int64]
  /// The attributes to return, in that order; all of them in the schema's order if `nil`.
  public var select: [String]?
  /// Whether columns of subentities are returned too; they are null in rows without them.
  public var includesSubentityColumns: Bool = false
  /// The paths of relationships whose rows are returned too, such as `country` and `tags.owner`.
  public var prefetch: [String] = []
  /// Whether missing rows are listed in the reply instead of being an error.
  public var allowsMissing: Bool = false
  /// Whether the reply names its columns.
  public var namesColumns: Bool = true
}

extension GetRequest: MemberObject {
  static var blank: Self { Self(entity: "", identifiers: []) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("entity", &entity)
    try coder.required("ids", &identifiers)
    try coder.optional("select", &select)
    try coder.value("subentityColumns", &includesSubentityColumns, default: false)
    try coder.value("prefetch", &prefetch, default: [])
    try coder.value("partial", &allowsMissing, default: false)
    try coder.value("columns", &namesColumns, default: true)
  }
}
