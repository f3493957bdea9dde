/// Changes to rows of any entities that are made together or not at all.
///
/// An inserted row may have a temporary identifier, a string that begins with `#`, in the column
/// `$id`. Relationships may refer to the row by it.
@Memberwise
public struct SaveRequest: Hashable, Sendable {
  /// Rows to insert, in any order.
  public var inserts: [Insertion] = []
  /// Rows to change; they may refer to the inserted rows.
  public var updates: [Change] = []
  /// Rows to delete, together with the rows that delete rules cascade to.
  public var deletes: [Deletion] = []
  /// The policy for an inserted row whose unique values another row has; ``policy`` doesn't matter.
  public var onConflict: InsertRequest.OnConflict = .error
  /// Rows that must be unchanged since they were read, though the save doesn't change them.
  public var reads: [ReadSet] = []
  /// The policy for rows that others have changed since they were read; ``MergePolicy/error`` if `nil`.
  public var policy: MergePolicy?
  /// The parts sent earlier, which precede this request's own changes.
  public var staged: Staged?
  /// Whether the reply has identifiers and versions in runs, which are short for many rows.
  public var answersInRuns: Bool = false

  /// Whether the save checks for conflicts: it has a policy, read sets, or base versions.
  public var looksForConflicts: Bool {
    policy != nil || !reads.isEmpty || updates.contains { $0.columns.contains("$version") }
      || deletes.contains { $0.versions != nil }
  }

  /// Whether each updated row has a row of base values, in every batch that has base values.
  var hasBaseForEachChange: Bool {
    updates.allSatisfy { $0.base == nil || $0.base?.rows.count == $0.rows.count }
  }

  /// Rows of one entity to insert.
  @Memberwise
  public struct Insertion: Hashable, Sendable {
    public var entity: String
    /// `$id` for temporary identifiers, and the paths of the attributes with values.
    public var columns: [String]
    public var rows: RowBatch
  }

  /// Rows of one entity to change.
  @Memberwise
  public struct Change: Hashable, Sendable {
    public var entity: String
    /// `$id` first, and the paths of the properties to change.
    ///
    /// `$version` may be among them: the version that the client has read, or null for a row
    /// inserted by the same save. The value of a to-many relationship is the list of all its rows,
    /// or an object with any of the members `add`, `remove`, and, if it is ordered, `at`, the
    /// position of the first added row.
    public var columns: [String]
    public var rows: RowBatch
    /// The values that the client has read, of the version in `$version`.
    public var base: Base?
  }

  /// The values of rows as the client has read them, before its changes.
  @Memberwise
  public struct Base: Hashable, Sendable {
    /// The paths of the known values; at least the changed ones are worth sending.
    public var columns: [String]
    /// A row for each changed row, in the same order.
    public var rows: RowBatch
  }

  /// Rows of one entity to delete.
  @Memberwise
  public struct Deletion: Hashable, Sendable {
    public var entity: String
    public var identifiers: [Int64]
    /// The versions that the client has read, in the order of the identifiers.
    public var versions: [Int64]?
  }

  /// Rows of one entity that must still be as they were read.
  @Memberwise
  public struct ReadSet: Hashable, Sendable {
    public var entity: String
    public var identifiers: [Int64]
    /// The versions that the client has read, in the order of the identifiers.
    public var versions: [Int64]
  }
}

extension SaveRequest: MemberObject {
  static var blank: Self { Self() }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try changes(&coder)
    try coder.value("onConflict", &onConflict, default: .error)
    try coder.optional("policy", &policy)
    try coder.optional("staged", &staged)
    try coder.value("runs", &answersInRuns, default: false)
  }

  /// Passes the lists of rows.
  mutating func changes<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.value("insert", &inserts, default: [])
    try coder.value("update", &updates, default: [])
    try coder.value("delete", &deletes, default: [])
    try coder.value("read", &reads, default: [])
    guard Coder.isReader else { return }
    let count = rowCount
    try coder.check { (node) throws(DepotError) in
      guard count <= Limits.rows else { throw .tooManyRows(count).at(node.pointer) }
    }
  }
}

extension MergePolicy: MemberChoice {}

extension SaveRequest.Insertion: MemberObject {
  static var blank: Self { Self(entity: "", columns: [], rows: RowBatch()) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("entity", &entity)
    try coder.columns(&columns)
    try coder.required("rows", &rows)
  }
}

extension SaveRequest.Change: MemberObject {
  static var blank: Self { Self(entity: "", columns: [], rows: RowBatch()) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("entity", &entity)
    try coder.columns(&columns)
    try coder.required("rows", &rows)
    try coder.optional("base", &base)
    guard Coder.isReader else { return }
    let change = self
    try coder.check { (node) throws(DepotError) in
      guard change.columns.first == "$id" else {
        throw DepotError(.usage, "The first column of rows to change is \"$id\".").at(node.pointer)
      }
      do throws(DepotError) {
        try change.base?.check(beside: change)
      } catch {
        throw error.inside(node.pointer)
      }
    }
  }
}

extension SaveRequest.Base: MemberObject {
  static var blank: Self { Self(columns: [], rows: RowBatch()) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.columns(&columns)
    try coder.required("rows", &rows)
  }

  fileprivate func check(beside change: SaveRequest.Change) throws(DepotError) {
    guard change.columns.contains("$version") else {
      throw DepotError(.usage, "\"base\" needs the column \"$version\" beside it.")
        .hint("Add it to the columns, with the versions that were read.").at("/base")
    }
    if let column = columns.first(where: { $0 == "$id" || $0 == "$version" }) {
      throw DepotError(.usage, "\"base\" can't have \(column), which is in the rows to change.")
        .at("/base/columns")
    }
    guard rows.count == change.rows.count else {
      throw DepotError(.usage, "There are \(rows.count) base rows for \(change.rows.count) rows.")
        .hint("Give a row for each that is changed, in the same order.").at("/base/rows")
    }
  }
}

extension SaveRequest.Deletion: MemberObject {
  static var blank: Self { Self(entity: "", identifiers: []) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("entity", &entity)
    try coder.required("ids", &identifiers)
    try coder.optional("versions", &versions)
    if let versions { try coder.check(versions, of: identifiers) }
  }
}

extension SaveRequest.ReadSet: MemberObject {
  static var blank: Self { Self(entity: "", identifiers: [], versions: []) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("entity", &entity)
    try coder.required("ids", &identifiers)
    try coder.required("versions", &versions)
    try coder.check(versions, of: identifiers)
  }
}

extension MemberCoder {
  /// Passes the columns of rows and refuses a column that is named twice.
  fileprivate mutating func columns(_ columns: inout [String]) throws(Failure) {
    try required("columns", &columns)
    guard Self.isReader, Set(columns).count < columns.count else { return }
    try check { (node) throws(DepotError) in
      throw DepotError(.usage, "A column is named twice.").at(node.pointer + "/columns")
    }
  }

  fileprivate mutating func check(
    _ versions: [Int64],
    of identifiers: [Int64]
  ) throws(Failure) {
    guard versions.count != identifiers.count else { return }
    try check { (node) throws(DepotError) in
      throw DepotError(
        .usage,
        "There are \(versions.count) versions for \(identifiers.count) identifiers."
      ).at(node.pointer + "/versions")
    }
  }
}
