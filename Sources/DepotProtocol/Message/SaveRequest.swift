/// Changes to rows of any entities that are made together or not at all.
///
/// A row that is inserted may have a temporary identifier, a string that begins with `#`, in the column
/// `$id`; wherever a relationship takes an identifier it may be named before it has one.
public struct SaveRequest: Hashable, Sendable {
  /// Rows to insert, in any order.
  public var inserts: [Insertion]
  /// Rows to change; they may refer to those that are inserted.
  public var updates: [Change]
  /// Rows to delete, with what their relationships' delete rules take along.
  public var deletes: [Deletion]
  /// What to do with an inserted row that has the same unique values as another.
  public var onConflict: InsertRequest.OnConflict

  public init(
    inserts: [Insertion] = [],
    updates: [Change] = [],
    deletes: [Deletion] = [],
    onConflict: InsertRequest.OnConflict = .error
  ) {
    self.inserts = inserts
    self.updates = updates
    self.deletes = deletes
    self.onConflict = onConflict
  }

  /// Rows of one entity to insert.
  public struct Insertion: Hashable, Sendable {
    public var entity: String
    /// `$id` for temporary identifiers, and the paths of what the rows have values for.
    public var columns: [String]
    public var rows: RowBatch

    public init(entity: String, columns: [String], rows: RowBatch) {
      self.entity = entity
      self.columns = columns
      self.rows = rows
    }
  }

  /// Rows of one entity to change.
  public struct Change: Hashable, Sendable {
    public var entity: String
    /// `$id` first, and the paths of what is to be changed.
    ///
    /// The value of a to-many relationship is the list of all its rows, or an object with any of the
    /// members `add`, `remove`, and, if it is ordered, `at`, the position of the first that is added.
    public var columns: [String]
    public var rows: RowBatch

    public init(entity: String, columns: [String], rows: RowBatch) {
      self.entity = entity
      self.columns = columns
      self.rows = rows
    }
  }

  /// Rows of one entity to delete.
  public struct Deletion: Hashable, Sendable {
    public var entity: String
    public var identifiers: [Int64]

    public init(entity: String, identifiers: [Int64]) {
      self.entity = entity
      self.identifiers = identifiers
    }
  }
}
