/// What a client can ask for, with its arguments.
///
/// It is passed through many hands, and indirect cases make that one count instead of one per member.
public indirect enum Operation: Hashable, Sendable {
  case ping
  case describe
  case defineSchema(Schema, isDryRun: Bool, MigrationOptions = MigrationOptions())
  case getSchema
  case insert(InsertRequest)
  case get(GetRequest)
  case fetch(FetchRequest)
  case count(CountRequest)
  case exists(CountRequest)
  case aggregate(AggregateRequest)
  case save(SaveRequest)
  case update(UpdateRequest)
  case delete(DeleteRequest)
  case explain(ExplainRequest)
  case stats
  case shutdown
  case openContainer(ContainerRequest)
  case closeContainer(String)
  case listContainers
  case beginMigration(MigrationRequest)
  case commitMigration(takesBackup: Bool)
  case abortMigration
  case readBlob(BlobReadRequest)
  case writeBlob(BlobWriteRequest)
  /// Keep a moment for reads to come, for so many milliseconds at most.
  case pin(maxAgeMilliseconds: Int?)
  /// Give up the moment of this name.
  case unpin(String)
  /// Hand the socket over to the service that takes the place of this one, which has this store.
  case takeover(store: String)
  case watch(WatchRequest)
  case barrier
  case history(HistoryRequest)
  /// Deletes the history up to a moment.
  case deleteHistory(before: HistoryMoment)
  case historyStatus
  /// Notes up to where a consumer has read.
  case acknowledgeHistory(HistoryPosition)
  /// Forgets a consumer.
  case forgetConsumer(String)
  case historyRow(HistoryRowRequest)
  case undo(UndoRequest)
  case redo(UndoRequest)
  /// Keep a part of a save that is yet to come.
  case stage(StageRequest)
}

extension Operation {
  /// The names on the wire, in the order of ``ordinal``.
  package static let names = [
    "ping", "describe", "schema.define", "schema.get", "insert", "get", "fetch", "count", "update",
    "delete", "explain", "stats", "shutdown", "exists", "aggregate", "save", "container.open",
    "container.close", "container.list", "migration.begin", "migration.commit", "migration.abort",
    "blob.read", "blob.write", "pin", "unpin", "takeover", "watch", "barrier",
    "history", "history.delete", "history.status",
    "history.acknowledge", "history.forget", "history.row", "undo", "redo", "stage",
  ]

  /// The name on the wire.
  public var name: String { Self.names[ordinal] }

  /// The place of the name among ``names``.
  package var ordinal: Int {
    switch self {
    case .ping: 0
    case .describe: 1
    case .defineSchema: 2
    case .getSchema: 3
    case .insert: 4
    case .get: 5
    case .fetch: 6
    case .count: 7
    case .update: 8
    case .delete: 9
    case .explain: 10
    case .stats: 11
    case .shutdown: 12
    case .exists: 13
    case .aggregate: 14
    case .save: 15
    case .openContainer: 16
    case .closeContainer: 17
    case .listContainers: 18
    case .beginMigration: 19
    case .commitMigration: 20
    case .abortMigration: 21
    case .readBlob: 22
    case .writeBlob: 23
    case .pin: 24
    case .unpin: 25
    case .takeover: 26
    case .watch: 27
    case .barrier: 28
    case .history: 29
    case .deleteHistory: 30
    case .historyStatus: 31
    case .acknowledgeHistory: 32
    case .forgetConsumer: 33
    case .historyRow: 34
    case .undo: 35
    case .redo: 36
    case .stage: 37
    }
  }

  /// Whether the operation changes the store.
  public var isWrite: Bool {
    switch self {
    case .defineSchema, .insert, .update, .delete, .save, .writeBlob, .deleteHistory,
      .acknowledgeHistory, .forgetConsumer, .undo, .redo:
      true
    default: false
    }
  }

  /// Whether the operation reads rows, so that it can be about a moment that was pinned.
  package var isPinnable: Bool {
    switch self {
    case .get, .fetch, .count, .exists, .aggregate, .explain, .readBlob: true
    default: false
    }
  }

  /// Whether the operation is about what one container holds.
  package var isInContainer: Bool {
    switch self {
    case .ping, .describe, .stats, .shutdown, .openContainer, .closeContainer, .listContainers,
      .commitMigration, .abortMigration, .unpin, .takeover, .stage:
      false
    default: true
    }
  }
}

/// Rows to insert.
public struct InsertRequest: Hashable, Sendable {
  /// What to do with a row that has the same value in a unique attribute as another.
  public enum OnConflict: String, Hashable, Sendable, CaseIterable {
    /// Fail with `conflict.unique`.
    case error
    /// Leave the other row as it is.
    case skip
    /// Give the other row the new values of the attributes that are named; it keeps its identifier.
    case replace
  }

  public var entity: String
  /// The attributes that each row has values for, in that order.
  public var columns: [String]
  /// The values.
  public var rows: RowBatch
  public var onConflict: OnConflict
  /// Whether a row that can't be stored is left out and reported, rather than failing the request.
  public var reportsRejects: Bool

  public init(
    entity: String,
    columns: [String],
    rows: RowBatch,
    onConflict: OnConflict = .error,
    reportsRejects: Bool = false
  ) {
    self.entity = entity
    self.columns = columns
    self.rows = rows
    self.onConflict = onConflict
    self.reportsRejects = reportsRejects
  }
}

/// Identifiers whose rows are wanted.
public struct GetRequest: Hashable, Sendable {
  public var entity: String
  public var identifiers: [Int64]
  /// The attributes to return, in that order; all of them in the schema's order if `nil`.
  public var select: [String]?
  /// Whether the columns of entities that descend from ``entity`` are returned too, null where a row
  /// has not got them.
  public var includesSubentityColumns: Bool
  /// The paths of relationships whose rows are to come along, such as `country` and `tags.owner`.
  public var prefetch: [String]
  /// Whether identifiers without a row are listed rather than an error.
  public var allowsMissing: Bool
  /// Whether the reply names its columns.
  public var namesColumns: Bool

  public init(
    entity: String,
    identifiers: [Int64],
    select: [String]? = nil,
    includesSubentityColumns: Bool = false,
    prefetch: [String] = [],
    allowsMissing: Bool = false,
    namesColumns: Bool = true
  ) {
    self.entity = entity
    self.identifiers = identifiers
    self.select = select
    self.includesSubentityColumns = includesSubentityColumns
    self.prefetch = prefetch
    self.allowsMissing = allowsMissing
    self.namesColumns = namesColumns
  }
}

/// A description of the rows that are wanted.
public struct FetchRequest: Hashable, Sendable {
  public var entity: String
  /// What the rows must satisfy; all rows if `nil`.
  public var predicate: QueryExpression?
  /// Whether rows of entities that descend from ``entity`` are wanted too.
  public var includesSubentities: Bool
  /// The keys to sort by, the most important first; the identifier is always the last.
  public var sort: [SortKey]
  public var limit: Int?
  public var offset: Int
  /// The values of the sort keys and, last, the identifier of a row: only rows after it are wanted.
  public var after: [Value]?
  /// The paths to return, in that order; all columns in the schema's order if `nil`.
  ///
  /// A to-many relationship is returned only if it is named here, as a list of identifiers.
  public var select: [String]?
  /// Whether the columns of entities that descend from ``entity`` are returned too, null where a row
  /// hasn't got them.
  public var includesSubentityColumns: Bool
  /// Whether rows that have the same selected values are returned once, without identifiers.
  public var isDistinct: Bool
  /// The paths of relationships whose rows are to come along, such as `country` and `tags.owner`.
  public var prefetch: [String]
  /// The path to group the rows by; its sections and their counts come with the last frame.
  public var sectionBy: String?
  /// How many rows a frame may bring; as many as fit into about 64 KiB if `nil`.
  public var batch: Int?
  /// Whether the first frame names the columns.
  public var namesColumns: Bool

  public init(
    entity: String,
    predicate: QueryExpression? = nil,
    includesSubentities: Bool = true,
    sort: [SortKey] = [],
    limit: Int? = nil,
    offset: Int = 0,
    after: [Value]? = nil,
    select: [String]? = nil,
    includesSubentityColumns: Bool = false,
    isDistinct: Bool = false,
    prefetch: [String] = [],
    sectionBy: String? = nil,
    batch: Int? = nil,
    namesColumns: Bool = true
  ) {
    self.entity = entity
    self.predicate = predicate
    self.includesSubentities = includesSubentities
    self.sort = sort
    self.limit = limit
    self.offset = offset
    self.after = after
    self.select = select
    self.includesSubentityColumns = includesSubentityColumns
    self.isDistinct = isDistinct
    self.prefetch = prefetch
    self.sectionBy = sectionBy
    self.batch = batch
    self.namesColumns = namesColumns
  }
}

/// A description of the rows that are to be counted.
public struct CountRequest: Hashable, Sendable {
  public var entity: String
  public var predicate: QueryExpression?
  /// Whether rows of entities that descend from ``entity`` count too.
  public var includesSubentities: Bool

  public init(
    entity: String,
    predicate: QueryExpression? = nil,
    includesSubentities: Bool = true
  ) {
    self.entity = entity
    self.predicate = predicate
    self.includesSubentities = includesSubentities
  }
}

/// Which rows a change is about.
public enum RowSelection: Hashable, Sendable {
  /// These rows, all of which must exist.
  case identifiers([Int64])
  /// The rows that satisfy a predicate.
  case predicate(QueryExpression)
}

/// Values to give to rows.
public struct UpdateRequest: Hashable, Sendable {
  public var entity: String
  public var rows: RowSelection
  /// Whether rows of entities that descend from ``entity`` are changed too.
  public var includesSubentities: Bool
  /// The paths of what gets a value; the values are one row of the batch, in that order.
  public var columns: [String]
  public var values: RowBatch
  /// What gets a value that is computed from the row as it was before the update.
  public var computed: [Computation]
  /// Whether the reply lists the identifiers of the rows that were changed.
  public var returnsIdentifiers: Bool
  /// How many rows a transaction may change; all of them in one if `nil`.
  ///
  /// With chunks, those before one that fails stay changed.
  public var chunk: Int?

  public init(
    entity: String,
    rows: RowSelection,
    includesSubentities: Bool = true,
    columns: [String] = [],
    values: RowBatch = RowBatch(),
    computed: [Computation] = [],
    returnsIdentifiers: Bool = false,
    chunk: Int? = nil
  ) {
    self.entity = entity
    self.rows = rows
    self.includesSubentities = includesSubentities
    self.columns = columns
    self.values = values
    self.computed = computed
    self.returnsIdentifiers = returnsIdentifiers
    self.chunk = chunk
  }

  /// An attribute and what its new value is computed from.
  public struct Computation: Hashable, Sendable {
    public var path: String
    public var expression: QueryExpression

    public init(_ path: String, _ expression: QueryExpression) {
      self.path = path
      self.expression = expression
    }
  }
}

/// Rows to delete.
public struct DeleteRequest: Hashable, Sendable {
  public var entity: String
  public var rows: RowSelection
  /// Whether rows of entities that descend from ``entity`` are deleted too.
  public var includesSubentities: Bool
  /// Whether the reply lists the identifiers of the rows that were deleted.
  public var returnsIdentifiers: Bool
  /// How many rows a transaction may delete; all of them in one if `nil`.
  ///
  /// With chunks, those before one that fails stay deleted.
  public var chunk: Int?

  public init(
    entity: String,
    rows: RowSelection,
    includesSubentities: Bool = true,
    returnsIdentifiers: Bool = false,
    chunk: Int? = nil
  ) {
    self.entity = entity
    self.rows = rows
    self.includesSubentities = includesSubentities
    self.returnsIdentifiers = returnsIdentifiers
    self.chunk = chunk
  }
}
