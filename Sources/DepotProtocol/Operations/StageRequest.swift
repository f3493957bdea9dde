/// A part of a save that is too large for one frame.
///
/// The connection keeps the parts until a save applies them, as if they were part of that save.
@Memberwise("content")
public struct StageRequest: Hashable, Sendable {
  /// The number shared by all parts of one save, chosen by the client.
  public var save: Int64
  public var content: Content

  public enum Content: Hashable, Sendable {
    case part(Part)
    /// Drop the parts.
    case discard
  }

  /// The content of a part.
  public struct Part: Hashable, Sendable {
    /// Its number among the parts, from 1.
    public var number: Int
    /// The changes added to the save; the rest of the request is ignored.
    public var changes: SaveRequest
    /// The list whose first batch continues the last batch of the earlier parts.
    ///
    /// The two batches have the same entity and columns.
    public var continued: SaveRequest.List?

    public init(number: Int, _ changes: SaveRequest, continuing list: SaveRequest.List? = nil) {
      self.number = number
      self.changes = changes
      continued = list
    }
  }
}

extension SaveRequest {
  /// One of the lists that a save has.
  public enum List: String, Hashable, Sendable, CaseIterable {
    case insert
    case update
    case delete
    case read
  }

  /// The staged parts of a save.
  @Memberwise
  public struct Staged: Hashable, Sendable {
    /// The number that they share.
    public var save: Int64
    /// The number of parts.
    public var parts: Int
  }

  /// The number of rows in the request.
  package var rowCount: Int {
    inserts.reduce(0) { $0 + $1.rows.count } + updates.reduce(0) { $0 + $1.rows.count }
      + deletes.reduce(0) { $0 + $1.identifiers.count }
      + reads.reduce(0) { $0 + $1.identifiers.count }
  }

  /// The approximate size in memory, in bytes.
  package var byteCount: Int {
    var count = 0
    func add(_ columns: [String], _ rows: RowBatch) {
      count += 128 + columns.reduce(0) { $0 + 16 + $1.utf8.count } + rows.byteCount
    }
    for insertion in inserts { add(insertion.columns, insertion.rows) }
    for change in updates {
      add(change.columns, change.rows)
      if let base = change.base { add(base.columns, base.rows) }
    }
    for deletion in deletes {
      count += 128 + 8 * (deletion.identifiers.count + (deletion.versions?.count ?? 0))
    }
    for read in reads { count += 128 + 8 * (read.identifiers.count + read.versions.count) }
    return count
  }

  /// Appends the changes of a later part.
  ///
  /// - Parameters:
  ///   - other: The changes to append.
  ///   - list: The list whose first batch continues the last batch here.
  /// - Throws: ``DepotError`` `request.usage` if the two batches don't fit together.
  package mutating func append(
    _ other: SaveRequest,
    continuing list: List? = nil
  ) throws(DepotError) {
    if let list {
      let fits =
        switch list {
        case .insert: join(&inserts, other.inserts) { $0.join($1) }
        case .update: join(&updates, other.updates) { $0.join($1) }
        case .delete: join(&deletes, other.deletes) { $0.join($1) }
        case .read: join(&reads, other.reads) { $0.join($1) }
        }
      guard fits else {
        throw DepotError(.usage, "The first \"\(list.rawValue)\" doesn't continue the last one.")
          .hint("Both have the same entity, and the same columns in the same order.")
          .at("/args/\(list.rawValue)/0")
      }
    }
    inserts += other.inserts.dropFirst(list == .insert ? 1 : 0)
    updates += other.updates.dropFirst(list == .update ? 1 : 0)
    deletes += other.deletes.dropFirst(list == .delete ? 1 : 0)
    reads += other.reads.dropFirst(list == .read ? 1 : 0)
  }

  /// Appends the first batch of a list to the last batch of another; returns whether they fit.
  private func join<Batch>(
    _ list: inout [Batch],
    _ others: [Batch],
    _ body: (inout Batch, Batch) -> Bool
  ) -> Bool {
    guard let first = others.first, !list.isEmpty else { return false }
    return body(&list[list.count - 1], first)
  }
}

extension SaveRequest.Insertion {
  fileprivate mutating func join(_ other: Self) -> Bool {
    guard entity == other.entity, columns == other.columns else { return false }
    rows.append(other.rows)
    return true
  }
}

extension SaveRequest.Change {
  fileprivate mutating func join(_ other: Self) -> Bool {
    guard entity == other.entity, columns == other.columns, base?.columns == other.base?.columns
    else { return false }
    rows.append(other.rows)
    if let rows = other.base?.rows { base?.rows.append(rows) }
    return true
  }
}

extension SaveRequest.Deletion {
  fileprivate mutating func join(_ other: Self) -> Bool {
    guard entity == other.entity, (versions == nil) == (other.versions == nil) else {
      return false
    }
    identifiers += other.identifiers
    versions? += other.versions ?? []
    return true
  }
}

extension SaveRequest.ReadSet {
  fileprivate mutating func join(_ other: Self) -> Bool {
    guard entity == other.entity else { return false }
    identifiers += other.identifiers
    versions += other.versions
    return true
  }
}

extension StageRequest: MemberObject {
  static var blank: Self { Self(save: 0, .part(Part(number: 0, SaveRequest()))) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    // JSON keeps this number exactly.
    var number: Int? = Int(save)
    try coder.number("save", &number, in: 1...(1 << 53) - 1)
    save = Int64(try coder.present("save", number))
    var isDiscarded = content == .discard
    try coder.value("discard", &isDiscarded, default: false)
    guard !isDiscarded, case .part(var part) = content else {
      content = .discard
      return
    }
    number = part.number
    try coder.number("part", &number, in: 1...1_000_000)
    part.number = try coder.present("part", number)
    try part.changes.changes(&coder)
    try coder.optional("continues", &part.continued)
    content = .part(part)
  }
}

extension SaveRequest.List: MemberChoice {}

extension SaveRequest.Staged: MemberObject {
  static var blank: Self { Self(save: 0, parts: 0) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("save", &save)
    var number: Int? = parts
    try coder.number("parts", &number, in: 1...1_000_000)
    parts = try coder.present("parts", number)
  }
}

extension MemberCoder {
  /// Returns a required number.
  fileprivate mutating func present(
    _ name: StaticString,
    _ number: Int?
  ) throws(Failure) -> Int {
    try check { (node) throws(DepotError) in
      guard number == nil else { return }
      throw DepotError(.missingMember, "The member \"\(name)\" is missing.").at(node.pointer)
    }
    return number ?? 0
  }
}
