/// Identifiers whose rows are wanted.
@Memberwise
public struct GetRequest: Hashable, Sendable {
  public var entity: String
  public var identifiers: [Int64]
  /// The attributes to return, in that order; all of them in the schema's order if `nil`.
  public var select: [String]?
  /// Whether the columns of entities that descend from ``entity`` are returned too, null where a row
  /// has not got them.
  public var includesSubentityColumns: Bool = false
  /// The paths of relationships whose rows are to come along, such as `country` and `tags.owner`.
  public var prefetch: [String] = []
  /// Whether identifiers without a row are listed rather than an error.
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
