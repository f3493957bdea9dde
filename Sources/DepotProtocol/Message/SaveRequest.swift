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
  /// What to do with an inserted row that has the same unique values as another, whatever ``policy``
  /// says.
  public var onConflict: InsertRequest.OnConflict
  /// What has to be as it was read, though it isn't changed.
  public var reads: [ReadSet]
  /// What to do with rows that others have changed since they were read; ``MergePolicy/error`` if `nil`.
  public var policy: MergePolicy?
  /// The parts that were sent before, which come before what this has itself.
  public var staged: Staged?
  /// Whether the answer tells identifiers and versions in runs, which are short for many rows.
  public var answersInRuns: Bool

  public init(
    inserts: [Insertion] = [],
    updates: [Change] = [],
    deletes: [Deletion] = [],
    onConflict: InsertRequest.OnConflict = .error,
    reads: [ReadSet] = [],
    policy: MergePolicy? = nil,
    staged: Staged? = nil,
    answersInRuns: Bool = false
  ) {
    self.inserts = inserts
    self.updates = updates
    self.deletes = deletes
    self.onConflict = onConflict
    self.reads = reads
    self.policy = policy
    self.staged = staged
    self.answersInRuns = answersInRuns
  }

  /// Whether conflicts are looked for: whether anything says what the client has read, or what to do.
  public var looksForConflicts: Bool {
    policy != nil || !reads.isEmpty || updates.contains { $0.columns.contains("$version") }
      || deletes.contains { $0.versions != nil }
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
    /// `$version` may be among them: the version that the client has read, or null for a row of the
    /// same save. The value of a to-many relationship is the list of all its rows, or an object with any of the
    /// members `add`, `remove`, and, if it is ordered, `at`, the position of the first that is added.
    public var columns: [String]
    public var rows: RowBatch
    /// What the client has read, if it says `$version`.
    public var base: Base?

    public init(entity: String, columns: [String], rows: RowBatch, base: Base? = nil) {
      self.entity = entity
      self.columns = columns
      self.rows = rows
      self.base = base
    }
  }

  /// What rows had before the client changed them, as it read them.
  public struct Base: Hashable, Sendable {
    /// The paths of what is known; at least those that are changed are worth knowing.
    public var columns: [String]
    /// A row for each that is changed, in the same order.
    public var rows: RowBatch

    public init(columns: [String], rows: RowBatch) {
      self.columns = columns
      self.rows = rows
    }
  }

  /// Rows of one entity to delete.
  public struct Deletion: Hashable, Sendable {
    public var entity: String
    public var identifiers: [Int64]
    /// The versions that the client has read, in the order of the identifiers.
    public var versions: [Int64]?

    public init(entity: String, identifiers: [Int64], versions: [Int64]? = nil) {
      self.entity = entity
      self.identifiers = identifiers
      self.versions = versions
    }
  }

  /// Rows of one entity that must still be as they were read.
  public struct ReadSet: Hashable, Sendable {
    public var entity: String
    public var identifiers: [Int64]
    /// The versions that the client has read, in the order of the identifiers.
    public var versions: [Int64]

    public init(entity: String, identifiers: [Int64], versions: [Int64]) {
      self.entity = entity
      self.identifiers = identifiers
      self.versions = versions
    }
  }
}
