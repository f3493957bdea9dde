/// A description of the rows to fetch.
@Memberwise
public struct FetchRequest: Hashable, Sendable {
  public var entity: String
  /// The condition on the rows; all rows if `nil`.
  public var predicate: QueryExpression?
  /// Whether rows of subentities are fetched too.
  public var includesSubentities: Bool = true
  /// The keys to sort by, the most important first; the identifier is always the last.
  public var sort: [SortKey] = []
  public var limit: Int?
  public var offset: Int = 0
  /// The sort keys' values and, last, the identifier of a row; only rows after it are fetched.
  public var after: [Value]?
  /// The paths to return, in that order; all columns in the schema's order if `nil`.
  ///
  /// A to-many relationship is returned only if it is named here, as a list of identifiers.
  public var select: [String]?
  /// Whether columns of subentities are returned too; they are null in rows without them.
  public var includesSubentityColumns: Bool = false
  /// Whether rows that have the same selected values are returned once, without identifiers.
  public var isDistinct: Bool = false
  /// The paths of relationships whose rows are returned too, such as `country` and `tags.owner`.
  public var prefetch: [String] = []
  /// The path to group the rows by; its sections and their counts come with the last frame.
  public var sectionBy: String?
  /// The most rows in a frame; `nil` for as many as fit into about 64 KiB.
  public var batch: Int?
  /// Whether the first frame names the columns.
  public var namesColumns: Bool = true
}

extension FetchRequest: MemberObject, RowRequest {
  static var blank: Self { Self(entity: "") }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.rows(&self)
    try coder.sort(&sort)
    try coder.optional("limit", &limit)
    try coder.value("offset", &offset, default: 0)
    try coder.optional("after", &after)
    try coder.optional("select", &select)
    try coder.value("subentityColumns", &includesSubentityColumns, default: false)
    try coder.value("distinct", &isDistinct, default: false)
    try coder.value("prefetch", &prefetch, default: [])
    try coder.optional("sectionBy", &sectionBy)
    try coder.number("batch", &batch, in: 1...100_000)
    try coder.value("columns", &namesColumns, default: true)
    let (after, keys) = (after, sort.isEmpty && sectionBy != nil ? 1 : sort.count)
    try coder.check { (node) throws(DepotError) in
      // The key of the sections is the first key, even if the sort doesn't name it.
      guard let after, after.count != keys + 1, after.count != 1 else { return }
      throw DepotError(
        .usage,
        "\"after\" has the values of the \(keys) sort keys and an identifier, not \(after.count)."
      ).at(node.pointer + "/after")
    }
  }
}
