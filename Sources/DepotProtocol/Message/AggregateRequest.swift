/// A description of groups of rows, and of what the rows of each come to.
public struct AggregateRequest: Hashable, Sendable {
  public var entity: String
  /// What the rows must satisfy; all rows if `nil`.
  public var predicate: QueryExpression?
  public var includesSubentities: Bool
  /// What the rows of a group have in common; all rows are one group if there is nothing.
  public var keys: [Column]
  /// What the rows of each group come to.
  public var values: [Value]
  /// What a group must satisfy; its attributes are the names of ``keys`` and ``values``.
  public var having: QueryExpression?
  /// How to sort the groups; the attributes are the names of ``keys`` and ``values``.
  ///
  /// The keys of the groups always come last.
  public var sort: [SortKey]
  public var limit: Int?
  public var offset: Int
  /// How many groups a frame may bring; as many as fit into about 64 KiB if `nil`.
  public var batch: Int?

  public init(
    entity: String,
    predicate: QueryExpression? = nil,
    includesSubentities: Bool = true,
    keys: [Column] = [],
    values: [Value] = [],
    having: QueryExpression? = nil,
    sort: [SortKey] = [],
    limit: Int? = nil,
    offset: Int = 0,
    batch: Int? = nil
  ) {
    self.entity = entity
    self.predicate = predicate
    self.includesSubentities = includesSubentities
    self.keys = keys
    self.values = values
    self.having = having
    self.sort = sort
    self.limit = limit
    self.offset = offset
    self.batch = batch
  }

  /// A named expression of the rows.
  public struct Column: Hashable, Sendable {
    public var name: String
    public var expression: QueryExpression

    public init(name: String, expression: QueryExpression) {
      self.name = name
      self.expression = expression
    }
  }

  /// A named aggregate over the rows of a group.
  public struct Value: Hashable, Sendable {
    public var name: String
    public var aggregate: QueryExpression.Aggregate
    /// What of each row is aggregated; for `count`, `nil` counts the rows.
    public var expression: QueryExpression?

    public init(
      name: String,
      _ aggregate: QueryExpression.Aggregate,
      of expression: QueryExpression? = nil
    ) {
      self.name = name
      self.aggregate = aggregate
      self.expression = expression
    }
  }
}
